export { acceptAffinity, type AffinityClaim } from './accept-affinity.js';
export { acceptHandoff, type AcceptedHandoff, type HandoffClaim } from './accept-handoff.js';
export { affinityJson, type AffinityPayload, signAffinity, verifyAffinity } from './affinity-signature.js';
export { handoffJson, type HandoffPayload, isProtected, signHandoff, verifyHandoff } from './handoff-signature.js';
export type { Headers } from './header-value.js';
export { identify, type Identity, type IdentityQuestion, MAX_ID_BYTES } from './identify.js';
export { type ReadableMetadata, readMetadata, type WritableMetadata, writeMetadata } from './metadata-value.js';
export { decideRole, type RoleQuestion, type ServerRole } from './server-role.js';
