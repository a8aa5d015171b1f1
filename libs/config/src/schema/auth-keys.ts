import { SecretList, SecretText } from '../settings/decorators.js';

/** The names of the settings that hold keys, in the order of their importance. */
export const AUTH_KEY_SETTINGS = ['internal_request_auth_key', 'internal_request_auth_previous_keys'] as const;

/** Value of the key that asks a combined launch to draw one. */
export const GENERATE_KEY = 'generate';

/** Declares `internal_request_auth_key`, the same for edge and workers. */
export function InternalRequestAuthKey(): PropertyDecorator {
  return SecretText(
    'Shared key that the edge signs internal requests with and workers verify. `env:NAME` and `file:PATH` read it from elsewhere; `generate` lets a combined launch (`roost up`) draw one.',
    {
      source: 'upstream',
      nullable: true,
      message: () => 'internal_request_auth_key must be a non-empty string',
    },
  );
}

/** Declares `internal_request_auth_previous_keys`, the same for edge and workers. */
export function InternalRequestAuthPreviousKeys(): PropertyDecorator {
  return SecretList('Keys that no longer sign but still verify, for the time of a rotation.', {
    source: 'ours',
    defaultText: '[]',
  });
}
