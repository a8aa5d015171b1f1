import { freePort } from '@roost/testing';

/** So many different TCP ports on loopback that nothing listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
