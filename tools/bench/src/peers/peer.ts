import type { Children } from '../machine/children.js';

/** Ports of the mock workers that a peer is given: two servers that answer whole, or two of each phase. */
export interface MockWorkers {
  readonly whole: readonly [number, number];
  readonly prefill: readonly [number, number];
  readonly decode: readonly [number, number];
}

/** Ports of loopback that a peer may listen on. */
export interface PeerPorts {
  readonly clients: number;
  /** For those that cannot be told to do without. */
  readonly metrics: number;
}

/** A router in one of its modes. */
export interface Peer {
  /** E.g. `smg, disaggregated`. */
  readonly name: string;
  /** Whether it sends every request to a prefill and to a decode worker. */
  readonly disaggregated: boolean;
  /** The program, for messages: what is not there is not measured. */
  readonly program: string;
  /** The version that is installed; null when it is not. */
  version(): string | null;
  /** How to start it; files may be written. */
  command(ports: PeerPorts, workers: MockWorkers, files: Children): readonly string[];
  /** Path that answers 200 when it serves. */
  readonly readyPath: string;
}
