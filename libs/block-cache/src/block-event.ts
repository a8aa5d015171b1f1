/** A change of what a rank's cache can be reused for; in order, they mirror the set of stored blocks. */
export type BlockEvent =
  | {
      readonly type: 'stored';
      readonly hash: bigint;
      /** The block before it in its sequence, or null for a first block. */
      readonly parent: bigint | null;
    }
  | { readonly type: 'removed'; readonly hash: bigint };
