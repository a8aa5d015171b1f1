import { type BlockHashes, type Prediction } from '@roost/prefix-index';

import { Reservation } from '../pool/reservation.js';
import { type Server } from '../pool/server.js';
import { type Decision } from '../ports/fleet-router.js';

/** Which server was chosen and why. */
export interface Verdict {
  readonly server: Server;
  readonly decision: Decision;
  readonly reason: string;
}

/** A request's blocks, as far as it told. */
export interface RequestBlocks {
  readonly hashes: BlockHashes | null;
  readonly numTokens: number;
  /** Leading tokens that the chosen server holds. */
  readonly matchedTokens: number;
  /** The claim that they lie on the chosen server, until the request ends. */
  readonly prediction: Prediction | null;
}

/** A placement that also knows the request's blocks. */
export class BlockReservation extends Reservation {
  readonly matchedTokens: number;
  readonly numTokens: number;
  /** The life of the server that the request was placed on. */
  readonly home: Server;
  #blocks: RequestBlocks | null;

  constructor({ server, decision, reason }: Verdict, routingKey: string | null, blocks: RequestBlocks) {
    super(server, 1, decision, reason, routingKey);
    this.home = server;
    this.matchedTokens = blocks.matchedTokens;
    this.numTokens = blocks.numTokens;
    this.#blocks = blocks;
  }

  /** Ends the prediction and gives the request's hashes the first time; null ever after. */
  settle(): BlockHashes | null {
    const blocks = this.#blocks;
    this.#blocks = null;
    blocks?.prediction?.end();
    return blocks?.hashes ?? null;
  }
}
