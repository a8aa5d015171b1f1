import { randomUUID } from 'node:crypto';

import { isObject, type JsonObject } from './json-object.js';

/** Stands at the seams between pieces; no client can know it. */
const SEAM = randomUUID();
const BEFORE = `{"${SEAM}":[`;
const AFTER = `,"${SEAM}"]}`;

const MESSAGE = Buffer.from('{"role":');
const [COMMA, CLOSING] = [0x2c, 0x7d];
/** White space between values; other characters that print nothing are mistakes there. */
const SPACES: ReadonlySet<number | undefined> = new Set([...Buffer.from(' \t\n\r')]);

/** The longest text that V8 keeps where making and forgetting one costs least, with room for two bytes a character. */
const PIECE_BYTES = 60_000;

/** What a long conversation says. */
export interface LongBody {
  readonly body: JsonObject;
  /** Where all is written but the messages in the middle: its beginning and its end, as short as they may be. */
  readonly outside: readonly Buffer[];
}

/** A place between two messages: where the one ends and the other begins. */
interface Seam {
  readonly end: number;
  readonly next: number;
}

/**
 * The object that `JSON.parse` makes of a long conversation, at half the cost; null wherever there is any doubt. The text
 * is cut between two messages, and each piece completed with what the pieces before and after it leave open: when every
 * piece is an object in which the messages go on from the seam before to the seam after it, the whole is JSON, and what is
 * in the pieces is in it: nothing but messages in those between the first and the last.
 *
 * @param bytes UTF-8
 */
export function parseLong(bytes: Buffer, pieceBytes = PIECE_BYTES): LongBody | null {
  const seams = seamsOf(bytes, pieceBytes);
  const [first, last] = [seams.at(0), seams.at(-1)];
  if (first === undefined || last === undefined) return null;
  const whole = pieceOf(bytes.toString('utf8', 0, first.end) + AFTER);
  const messages = whole?.['messages'];
  if (whole === null || !endsAtSeam(messages)) return null;
  const areJoined = seams.every(({ next }, at) => {
    const end = seams[at + 1]?.end;
    const text = BEFORE + bytes.toString('utf8', next, end);
    return end === undefined ? joinLast(whole, messages, pieceOf(text)) : join(messages, pieceOf(text + AFTER));
  });
  return areJoined ? { body: whole, outside: [bytes.subarray(0, first.end), bytes.subarray(last.next)] } : null;
}

/** After the first message, then after every so many bytes, and before the last message. */
function seamsOf(bytes: Buffer, pieceBytes: number): Seam[] {
  const seams: Seam[] = [];
  let next = bytes.indexOf(MESSAGE, bytes.indexOf(MESSAGE) + 1);
  while (cutBefore(next, bytes, seams) && bytes.length - next > 2 * pieceBytes) {
    next = bytes.indexOf(MESSAGE, next + pieceBytes);
  }
  cutBefore(bytes.lastIndexOf(MESSAGE), bytes, seams);
  return seams;
}

/** Adds the seam before a message; false when there is none behind those that there are. */
function cutBefore(next: number, bytes: Buffer, seams: Seam[]): boolean {
  if (next <= (seams.at(-1)?.next ?? -1)) return false;
  const comma = lastBefore(bytes, next);
  const brace = lastBefore(bytes, comma);
  if (bytes[comma] !== COMMA || bytes[brace] !== CLOSING) return false;
  seams.push({ end: brace + 1, next });
  return true;
}

/** The place of the last byte before this one that is no white space; -1 when there is none. */
function lastBefore(bytes: Buffer, place: number): number {
  let at = place - 1;
  while (SPACES.has(bytes[at])) at -= 1;
  return Math.max(at, -1);
}

function pieceOf(text: string): JsonObject | null {
  try {
    const piece: unknown = JSON.parse(text);
    return isObject(piece) ? piece : null;
  } catch {
    return null;
  }
}

/** Whether a value is the list that a piece left open at its end; takes the seam off it. */
function endsAtSeam(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.at(-1) === SEAM && value.pop() === SEAM;
}

/** Adds a piece to the messages before it; false when there is anything else in it. */
function join(messages: unknown[], piece: JsonObject | null): boolean {
  const more = piece?.[SEAM];
  if (piece === null || Object.keys(piece).length > 1 || !endsAtSeam(more)) return false;
  for (const message of more) messages.push(message);
  return true;
}

/** Adds the last piece, and what comes after the messages; false when that is not certain. */
function joinLast(whole: JsonObject, messages: unknown[], piece: JsonObject | null): boolean {
  if (piece === null || Object.hasOwn(piece, '__proto__')) return false;
  const { [SEAM]: more, ...others } = piece;
  for (const message of more as unknown[]) messages.push(message);
  Object.assign(whole, others);
  return true;
}
