import type { Secret } from '../secret.js';
import { Choice, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

import { InternalRequestAuthKey, InternalRequestAuthPreviousKeys } from './auth-keys.js';
import { WorkerArgs } from './worker-args.js';

/** The phases that a worker may be restricted to (reference 1.6). */
const WORKER_ROLES = ['CONTEXT', 'GENERATION'] as const;

/** One of {@link WORKER_ROLES}. */
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** A worker's own file. */
@Group({
  title: 'Worker file',
  meaning: "Keys of a worker's own file, beside the worker arguments. Not accepted in server sections.",
  source: 'ours',
  ignored: [],
})
export class WorkerConfig extends WorkerArgs {
  @Text('Host that the worker listens on.', { source: 'upstream' })
  readonly hostname: string = '127.0.0.1';

  @Whole('Port that the worker listens on; 0 takes a free one.', {
    source: 'upstream',
    min: 0,
    max: 65535,
  })
  readonly port: number = 8100;

  @Choice('Phase that the worker serves; null: both. Written in any case.', WORKER_ROLES, { nullable: true })
  readonly role: WorkerRole | null = null;

  @Choice("Upstream's name of `role`.", WORKER_ROLES, {
    source: 'upstream',
    nullable: true,
  })
  readonly server_role: WorkerRole | null = null;

  @InternalRequestAuthKey()
  readonly internal_request_auth_key: Secret | null = null;

  @InternalRequestAuthPreviousKeys()
  readonly internal_request_auth_previous_keys: readonly Secret[] = [];

  /** Every key that verifies, the one that signs first; empty without authentication. */
  get internal_request_auth_keys(): readonly Secret[] {
    return this.internal_request_auth_key
      ? [this.internal_request_auth_key, ...this.internal_request_auth_previous_keys]
      : [];
  }
}
