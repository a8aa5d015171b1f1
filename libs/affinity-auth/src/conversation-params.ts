import { RoostError } from '@roost/protocol';

import { stripWhiteSpace } from './white-space.js';

const FIELD = 'conversation_params';
const ID = `${FIELD}.conversation_id`;
/** The second is the server's own: a client's copy is dropped, not refused (reference 3.1). */
const KNOWN = new Set(['conversation_id', 'subagent_affinity_id']);

/**
 * The conversation id in a body's `conversation_params`, or null when the body has none (reference 3.5).
 *
 * @throws RoostError `invalid_request` for a wrong type, an unknown field, or an id that is missing or blank
 */
export function readConversationParams(params: unknown): string | null {
  if (params === undefined || params === null) return null;
  if (typeof params !== 'object' || Array.isArray(params)) throw invalid(FIELD, `${FIELD} must be an object`);
  const unknown = Object.keys(params).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    const name = `${FIELD}.${unknown}`;
    throw invalid(name, `${name} is not a known field`);
  }
  return readId('conversation_id' in params ? params.conversation_id : undefined);
}

function readId(id: unknown): string {
  if (typeof id === 'number') return String(id);
  if (id !== undefined && id !== null && typeof id !== 'string') {
    throw invalid(ID, `${ID} must be a string`);
  }
  const stripped = stripWhiteSpace(id ?? '');
  if (stripped === '') throw invalid(ID, `${ID} must be non-empty`);
  return stripped;
}

function invalid(param: string, message: string): RoostError {
  return new RoostError('invalid_request', message, { param });
}
