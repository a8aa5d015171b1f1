import type { NetworkInterfaceInfo } from 'node:os';

const NO_ADDRESS = '00:00:00:00:00:00';

/**
 * A number from 0 to 255 that tells this machine from its neighbours: its first hardware address modulo 256, as upstream
 * does (reference 1.1), or a drawn one where there is none.
 *
 * @param random from 0 inclusive to 1 exclusive
 */
export function machineNodeId(
  interfaces: Partial<Record<string, readonly Pick<NetworkInterfaceInfo, 'mac' | 'internal'>[]>>,
  random: () => number,
): number {
  const addresses = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter(({ mac, internal }) => !internal && mac !== NO_ADDRESS)
    .map(({ mac }) => Number.parseInt(mac.slice(-2), 16));
  return addresses.find((byte) => Number.isInteger(byte)) ?? Math.floor(random() * 256);
}
