import { type BlockHashes } from './block-hashes.js';
import { type BlockChange } from './prefix-index.js';

/**
 * One report of a rank on its cache. `incarnation` names one life of the rank's cache and never comes back; `sequence`
 * numbers the rank's messages, without a gap.
 */
export type FeedMessage = { readonly incarnation: string; readonly sequence: bigint } & (
  | {
      /** `hashes` is all that the rank holds, after every change with a lower number. */
      readonly type: 'snapshot';
      readonly hashes: BlockHashes;
    }
  | ({
      /** What changed since the message before. */
      readonly type: 'delta';
    } & BlockChange)
);

/**
 * What to do about a message. `apply` and `replace`: do so in the index. `resync`: what is known of the rank may be out
 * of date: drop it, and ask for a snapshot or open the channel anew. `ignore`: it says nothing new.
 */
export type FeedStep =
  | { readonly step: 'apply'; readonly change: BlockChange }
  | { readonly step: 'replace'; readonly hashes: BlockHashes }
  | { readonly step: 'resync' }
  | { readonly step: 'ignore' };

const IGNORE: FeedStep = { step: 'ignore' };
const RESYNC: FeedStep = { step: 'resync' };

const NONE = -1n;

/**
 * Follows the reports of one rank over a channel that may lose, repeat and reorder them. While it is in step, what was
 * applied is the rank's cache as of the latest message that was heard of.
 */
export class OwnerFeed {
  /** The life that this channel is of. */
  #incarnation: string | null = null;
  /** The latest message heard of. */
  #heard = NONE;
  #inStep = false;
  /** Whether messages of another life came: which of the two is over, only a new channel can tell. */
  #isMixed = false;

  /** Whether what was applied is all that was heard of. */
  get inStep(): boolean {
    return this.#inStep;
  }

  /**
   * Decides on the next message. Until a snapshot brings it into step, every change gets `resync`: a request for a
   * snapshot that is under way need not be repeated. After a change of the incarnation everything does, until the
   * channel is opened anew.
   */
  take(message: FeedMessage): FeedStep {
    const { incarnation, sequence } = message;
    this.#incarnation ??= incarnation;
    if (incarnation !== this.#incarnation) this.#isMixed = true;
    if (this.#isMixed) return this.#loseStep();
    return message.type === 'snapshot'
      ? this.#takeSnapshot(sequence, message.hashes)
      : this.#takeChange(sequence, message);
  }

  /** The channel was opened anew: it may be of another life and number its messages anew, beginning with a snapshot. */
  reopen(): void {
    this.#incarnation = null;
    this.#heard = NONE;
    this.#inStep = false;
    this.#isMixed = false;
  }

  #takeSnapshot(sequence: bigint, hashes: BlockHashes): FeedStep {
    if (this.#inStep && sequence <= this.#heard) return IGNORE;
    if (sequence < this.#heard) return RESYNC;
    this.#heard = sequence;
    this.#inStep = true;
    return { step: 'replace', hashes };
  }

  #takeChange(sequence: bigint, { stored, removed }: BlockChange): FeedStep {
    const isOld = sequence <= this.#heard;
    const follows = this.#inStep && sequence === this.#heard + 1n;
    if (!isOld) this.#heard = sequence;
    if (follows) return { step: 'apply', change: { stored, removed } };
    return this.#inStep && isOld ? IGNORE : this.#loseStep();
  }

  #loseStep(): FeedStep {
    this.#inStep = false;
    return RESYNC;
  }
}
