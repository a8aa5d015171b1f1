import { describe, expect, it } from '@jest/globals';

import { machineNodeId } from './machine-node-id.js';

const LOOPBACK = { lo: [{ mac: '00:00:00:00:00:00', internal: true }] };

describe('machineNodeId', () => {
  it('is the last byte of the first hardware address', () => {
    const interfaces = {
      ...LOOPBACK,
      eth0: [{ mac: '02:42:ac:11:00:fe', internal: false }],
      eth1: [{ mac: '02:42:ac:11:00:01', internal: false }],
    };
    expect(machineNodeId(interfaces, () => 0)).toBe(0xfe);
  });

  it('is drawn where there is none', () => {
    expect(machineNodeId(LOOPBACK, () => 0)).toBe(0);
    expect(machineNodeId({ ...LOOPBACK, tun: [{ mac: '00:00:00:00:00:00', internal: false }] }, () => 0.9999)).toBe(
      255,
    );
  });
});
