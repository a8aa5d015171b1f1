import type { HoldReport } from './hold-report.js';
import type { ByClass } from './request-class.js';
import type { ClassReport } from './tally.js';

/** What one policy made of a trace; plain data, the same for the same trace, policy and options. */
export interface ReplayReport {
  readonly policy: string;
  readonly classes: ByClass<ClassReport>;
  /** Most over mean of the prompt tokens computed, over instances and over all ranks. */
  readonly prefillImbalance: { readonly instances: number; readonly ranks: number };
  /** Prompt tokens computed, by instance and rank. */
  readonly prefillTokens: readonly (readonly number[])[];
  /** KV cache that was sent from context to generation instances, in bytes. */
  readonly kvBytesMoved: number;
  /** What generation instances had of those prompts already, which was not sent. */
  readonly kvBytesHeld: number;
  /** Of followers that were held back; null where the policy holds nobody. */
  readonly holds: HoldReport | null;
  /** Milliseconds of virtual time until the last answer was complete. */
  readonly virtualTime: number;
}
