/** 63-bit ids of disaggregated requests (reference 3.6). They exceed 2^53: always `bigint`, never `number`. */

const TIMESTAMP_MASK = (1n << 39n) - 1n;
/** Ids below this belong to requests that are not disaggregated. */
export const FIRST_DISAGG_REQUEST_ID = 1n << 40n;
const MODULUS = (1n << 63n) - 1n - FIRST_DISAGG_REQUEST_ID;

/** The parts of an id; `timestampMs` is a monotonic clock's, and is cut to 39 bits. */
export interface RequestIdParts {
  readonly timestampMs: bigint;
  /** 0..255: which edge. */
  readonly nodeId: number;
  /** 0..63: which process of that edge. */
  readonly processId: number;
  /** Cut to 10 bits. */
  readonly counter: number;
}

/** Packs an id's parts: timestamp 39 bits, node 8, process 6, counter 10, moved into [2^40, 2^63 - 1). */
export function packRequestId(parts: RequestIdParts): bigint {
  const raw =
    ((parts.timestampMs & TIMESTAMP_MASK) << 24n) |
    (BigInt(parts.nodeId) << 16n) |
    (BigInt(parts.processId) << 10n) |
    BigInt(parts.counter & 0x3ff);
  return (raw % MODULUS) + FIRST_DISAGG_REQUEST_ID;
}

/** Issues request ids that differ between the edges and processes of a deployment, 1024 a millisecond. */
export class RequestIdIssuer {
  private counter = 0;

  /**
   * @param nodeId 0..255
   * @param processId 0..63
   * @param nowMs a monotonic clock in milliseconds
   * @throws RangeError for an id outside its range
   */
  constructor(
    private readonly nodeId: number,
    private readonly processId: number,
    private readonly nowMs: () => bigint = () => process.hrtime.bigint() / 1_000_000n,
  ) {
    requireInteger('node_id', nodeId, 256);
    requireInteger('process_id', processId, 64);
  }

  next(): bigint {
    this.counter = (this.counter + 1) & 0x3ff;
    return packRequestId({
      timestampMs: this.nowMs(),
      nodeId: this.nodeId,
      processId: this.processId,
      counter: this.counter,
    });
  }
}

function requireInteger(name: string, value: number, limit: number): void {
  if (!Number.isInteger(value) || value < 0 || value >= limit) {
    throw new RangeError(`${name} must be in range [0, ${String(limit)}), got ${String(value)}`);
  }
}
