export { RendezvousModule } from './rendezvous.module.js';
export { RendezvousRouter } from './rendezvous-router.js';
