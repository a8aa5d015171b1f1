import { routingKeyOf } from '../request/routing-key.js';
import type { LegRecord, ServedRequest } from '../request/served-request.js';

/**
 * Headers that say where a request went and why: `x-roost-conversation-id`, `x-roost-routing-key`, and for each leg
 * `x-roost-<leg>-instance`, `-rank` and `-decision`. Values outside printable ASCII are percent-encoded.
 */
export function explainHeaders({ identity, record }: ServedRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  const put = (name: string, value: string | number | null): void => {
    if (value !== null) headers[`x-roost-${name}`] = printable(String(value));
  };
  put('conversation-id', identity.conversationId);
  put('routing-key', routingKeyOf(record));
  putLeg(put, 'context', record.context);
  putLeg(put, 'generation', record.generation);
  return headers;
}

function putLeg(put: (name: string, value: string | number | null) => void, name: string, leg: LegRecord | null): void {
  if (leg === null) return;
  put(`${name}-instance`, leg.instance);
  put(`${name}-rank`, leg.rank);
  put(`${name}-decision`, leg.decision);
}

function printable(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}
