export { AFFINITY_AUTH_OPTIONS, type AffinityAuthOptions, type ProofRefusal } from './affinity-auth-options.js';
export { AffinityGuard } from './affinity.guard.js';
export { HandoffGuard } from './handoff.guard.js';
export { VerifiedAffinity } from './verified-affinity.js';
