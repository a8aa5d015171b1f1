import type { Identity } from '@roost/affinity-auth';

import type { EdgeMetrics } from './edge-metrics.js';

/** Requests after which something is said of a header that none of them had, and of ids that most of them lacked. */
const ENOUGH = 100;

/**
 * Looks out for affinity that is configured and does nothing, because clients, or proxies on the way, do not send what it
 * goes by. Warns once of each.
 */
export class AffinityWatch {
  private seen = false;
  private unseen = 0;
  private inWindow = 0;
  private missingInWindow = 0;
  private warnedOfIds = false;

  /**
   * @param parentHeader the configured header, or null
   * @param warn told what is wrong and what to look at
   */
  constructor(
    private readonly parentHeader: string | null,
    private readonly metrics: Pick<EdgeMetrics, 'add'>,
    private readonly warn: (message: string) => void,
  ) {}

  /** Takes note of who asked. */
  note({ conversationId, subagentAffinityId, synthesised }: Identity): void {
    this.noteParent(subagentAffinityId !== null);
    this.noteId(conversationId !== null && !synthesised);
  }

  private noteParent(given: boolean): void {
    if (this.parentHeader === null) return;
    if (given) {
      this.seen = true;
      this.metrics.add('subagentRequests');
    }
    if (this.seen) return;
    this.unseen += 1;
    this.metrics.add('parentHeaderNeverSeen');
    if (this.unseen === ENOUGH) {
      this.warn(
        `none of the first ${String(ENOUGH)} requests had the header ${this.parentHeader} ` +
          '(conversation_affinity_header_for_subagents): no sub-agent is placed by its parent. ' +
          'Look at what clients send, and at what proxies on the way let through',
      );
    }
  }

  private noteId(given: boolean): void {
    this.inWindow += 1;
    if (!given) {
      this.missingInWindow += 1;
      this.metrics.add('sessionIdMissing');
    }
    if (this.inWindow < ENOUGH) return;
    if (this.missingInWindow > ENOUGH / 2 && !this.warnedOfIds) {
      this.warnedOfIds = true;
      this.warn(
        `${String(this.missingInWindow)} of ${String(ENOUGH)} requests had no conversation id: they cannot be placed by ` +
          'their conversation. Have clients send x-session-id, or conversation_params.conversation_id in the body',
      );
    }
    this.inWindow = 0;
    this.missingInWindow = 0;
  }
}
