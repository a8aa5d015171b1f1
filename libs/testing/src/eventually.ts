/**
 * Waits until a condition holds, looking again in every turn of the event loop in which there is something to do, at least
 * every 5 ms.
 *
 * @param condition true, or a value, when it holds; what it throws counts as "not yet"
 * @throws Error with the last reason when it does not hold within `withinMs`
 */
export async function eventually<T>(condition: () => T | Promise<T>, withinMs = 10_000): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  let reason: unknown = 'never true';
  while (performance.now() < end) {
    try {
      const value = await condition();
      if (value !== false && value !== undefined && value !== null) return value;
    } catch (error) {
      reason = error;
    }
    await nextLook();
  }
  throw new Error(`condition did not hold within ${String(withinMs)} ms`, { cause: reason });
}

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
