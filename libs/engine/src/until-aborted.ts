/** Reads on until the signal aborts, also while the source is silent, and tells the source when nobody reads any more. */
export async function* untilAborted<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const onAbort = (): void => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort);
  const items = source[Symbol.asyncIterator]();
  let open = true;
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await Promise.race([items.next(), aborted.promise]);
      if (next.done === true) {
        open = false;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a silent source answers only when its pending read does.
    if (open) void items.return?.().catch(() => undefined);
  }
}
