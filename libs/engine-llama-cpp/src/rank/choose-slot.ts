/** What has to be known of a sequence to choose among a rank's. */
export interface SlotView {
  /** Whether a request may take it over. */
  readonly isFree: boolean;
  /** Tokens that it holds. */
  readonly length: number;
  /** Whose turn it held last. */
  readonly conversationId: string | null;
  /** Grows with every use. */
  readonly lastUsed: number;
}

/** What a request brings along. */
export interface SlotRequest<Slot extends SlotView> {
  readonly conversationId: string | null;
  /** Leading tokens that a sequence shares with the prompt and that may be reused. */
  readonly shared: (slot: Slot) => number;
  /** The shortest prefix that is worth a copy, in tokens. */
  readonly leastFork: number;
}

/** How a request gets its sequence: empty, as it is but for its end, or with a copy of another's beginning. */
export type SlotChoice<Slot extends SlotView> =
  | { readonly kind: 'fresh'; readonly slot: Slot }
  | { readonly kind: 'continue'; readonly slot: Slot; readonly reused: number }
  | { readonly kind: 'fork'; readonly slot: Slot; readonly donor: Slot; readonly reused: number };

/**
 * Chooses the sequence for a request, or null while none is free. The longest shared prefix is reused, whoever holds it:
 * by going on in place where the conversation is the request's own (or nothing of an unnamed one is lost), else by a copy,
 * so that the other conversation finds its cache again. What makes room is the request's own older sequence, else an empty
 * one, else the least recently used.
 */
export function chooseSlot<Slot extends SlotView>(
  slots: readonly Slot[],
  request: SlotRequest<Slot>,
): SlotChoice<Slot> | null {
  const free = slots.filter((slot) => slot.isFree);
  if (free.length === 0) return null;
  const { shared } = request;
  const own = best(
    free.filter((slot) => isOwn(slot, request)),
    shared,
  );
  const donor = best(slots, shared);
  const reused = donor === null ? 0 : shared(donor);
  if (donor === null || reused === 0) return { kind: 'fresh', slot: roomIn(free, own) };
  const goingOn = slotToContinue(own, donor, request);
  if (goingOn !== null) return { kind: 'continue', slot: goingOn, reused: shared(goingOn) };
  if (reused < request.leastFork) return { kind: 'fresh', slot: roomIn(free, own) };
  const others = free.filter((slot) => slot !== donor);
  if (others.length === 0) return { kind: 'continue', slot: donor, reused };
  return { kind: 'fork', slot: roomIn(others, own), donor, reused };
}

/** The sequence that is gone on with in place; null when a copy, or nothing, is better. */
function slotToContinue<Slot extends SlotView>(own: Slot | null, donor: Slot, request: SlotRequest<Slot>): Slot | null {
  const { shared, leastFork } = request;
  const most = shared(donor);
  const ownShare = own === null ? 0 : shared(own);
  if (ownShare === most) return own;
  if (donor.isFree && losesNothing(donor, request, most)) return donor;
  return ownShare > 0 && most < leastFork ? own : null;
}

/** Chooses the sequence that a cache from elsewhere is put into, or null while none is free. */
export function chooseRoom<Slot extends SlotView>(slots: readonly Slot[], conversationId: string | null): Slot | null {
  const free = slots.filter((slot) => slot.isFree);
  if (free.length === 0) return null;
  return roomIn(free, free.find((slot) => isOwn(slot, { conversationId })) ?? null);
}

function isOwn(slot: SlotView, { conversationId }: { readonly conversationId: string | null }): boolean {
  return conversationId !== null && slot.conversationId === conversationId && slot.length > 0;
}

/** An unnamed conversation's sequence that the prompt only extends may be taken: all of it stays. */
function losesNothing(slot: SlotView, { conversationId }: { conversationId: string | null }, reused: number): boolean {
  return (conversationId === null || slot.conversationId === null) && reused === slot.length;
}

/** The one that shares most; among equals a free one, then the one used last. */
function best<Slot extends SlotView>(slots: readonly Slot[], shared: (slot: Slot) => number): Slot | null {
  return slots.reduce<Slot | null>((found, slot) => {
    if (found === null) return slot;
    const more =
      shared(slot) - shared(found) || Number(slot.isFree) - Number(found.isFree) || slot.lastUsed - found.lastUsed;
    return more > 0 ? slot : found;
  }, null);
}

function roomIn<Slot extends SlotView>(free: readonly Slot[], own: Slot | null): Slot {
  const [first, ...others] = free;
  if (first === undefined) throw new Error('there is no free sequence');
  const empty = free.find((slot) => slot.length === 0);
  if (own !== null && free.includes(own)) return own;
  return empty ?? others.reduce((oldest, slot) => (slot.lastUsed < oldest.lastUsed ? slot : oldest), first);
}
