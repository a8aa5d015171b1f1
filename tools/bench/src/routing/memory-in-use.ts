/** Bytes that are still in use after a collection, on the heap and in buffers; needs `node --expose-gc`. */
export function memoryInUse(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
