import { Module } from '@nestjs/common';
import { RouterTypesModule } from '@roost/edge-server';
import { RouterRegistry } from '@roost/fleet-router';

import { RendezvousRouter } from './rendezvous-router.js';

/** Lets a configuration say `router: { type: rendezvous }`. */
@Module({ imports: [RouterTypesModule] })
export class RendezvousModule {
  constructor(routers: RouterRegistry) {
    routers.register('rendezvous', (_args, { servers }) => new RendezvousRouter(servers));
  }
}
