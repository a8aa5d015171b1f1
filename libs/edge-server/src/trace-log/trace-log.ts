import { keep } from '@roost/held-bytes';

import type { PromptTokenizer } from '../request/prompt-tokenizer.js';
import type { ServedRequest } from '../request/served-request.js';

import type { RotatingFile } from './rotating-file.js';
import { hashOfId, LOG_TOKENS_PER_BLOCK, type LoggedBlocks, traceLineOf } from './trace-line.js';

/** Conversations whose latest prompt is remembered; a line of another one has all its blocks. */
const MOST_CONVERSATIONS = 1024;

/** Writes a line for every request that could be read, when it has ended. No request waits for it. */
export class TraceLog {
  /** Hashes of the blocks of the latest logged prompt, least recently logged conversation first. */
  private readonly latest = new Map<string, BigUint64Array>();
  private readonly pending = new Set<Promise<void>>();

  /** @param file null: nothing is logged */
  constructor(
    private readonly file: RotatingFile | null,
    private readonly tokenizer: PromptTokenizer,
  ) {}

  /**
   * Takes note of a request that has ended; its prompt is tokenised for it now.
   *
   * @param arrived on the clock of `performance.now()`
   */
  note(request: ServedRequest, arrived: number): void {
    const { file } = this;
    if (file === null) return;
    const ended = performance.now();
    const letGo = keep(request.client.bytes);
    const noted = this.tokenizer.blocksOf(request, LOG_TOKENS_PER_BLOCK).then((hashes) => {
      letGo();
      const line = (): string =>
        traceLineOf(request, arrived, ended, hashes === null ? null : this.deltaOf(request, hashes));
      if (!file.add(line())) {
        // Lines build on the ones before them, which this one's reader would not have.
        this.latest.clear();
        file.add(line());
      }
      this.pending.delete(noted);
    });
    this.pending.add(noted);
  }

  /** Resolves when every request that was noted is in the file. */
  async flush(): Promise<void> {
    await Promise.all(this.pending);
    await this.file?.flush();
  }

  private deltaOf({ identity }: ServedRequest, hashes: BigUint64Array): LoggedBlocks {
    const conversation = hashOfId(identity.conversationId);
    if (conversation === null) return { keep: 0, added: hashes };
    const previous = this.latest.get(conversation) ?? new BigUint64Array();
    this.latest.delete(conversation);
    this.latest.set(conversation, hashes);
    if (this.latest.size > MOST_CONVERSATIONS) this.latest.delete(this.latest.keys().next().value ?? conversation);
    let keep = 0;
    while (keep < hashes.length && hashes[keep] === previous[keep]) keep += 1;
    return { keep, added: hashes.subarray(keep) };
  }
}
