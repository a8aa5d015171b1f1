import { PRIVATE_TEXT } from './private-text.js';
import type { RawAnswer } from './raw-http.js';

/** What an OpenAI error envelope says, and the status that it came with. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

const INSIDES = /\bat .*:\d+:\d+|node_modules|\/dist\/|\.[jt]s:/;

/**
 * Reads an answer that must be an OpenAI error envelope, and no more.
 *
 * @throws Error when it is not, when it tells of our insides, or when it repeats the prompt
 */
export function refusalOf({ status, headers, body }: RawAnswer): Refusal {
  const complain = (what: string): Error => new Error(`${what}: ${String(status)} ${body}`);
  if (headers['content-type']?.startsWith('application/json') !== true) throw complain('not JSON');
  const { error, ...rest } = JSON.parse(body) as { error: Omit<Refusal, 'status'> };
  const fields = Object.keys(error).sort().join();
  if (Object.keys(rest).length > 0 || fields !== 'code,message,param,type') throw complain('not an envelope');
  if (error.message.trim() === '') throw complain('no message');
  if (INSIDES.test(body)) throw complain('tells of our insides');
  if (body.includes(PRIVATE_TEXT)) throw complain('repeats the prompt');
  return { status, ...error };
}
