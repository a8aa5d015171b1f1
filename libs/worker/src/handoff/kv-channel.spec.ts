import { describe, expect, it, jest } from '@jest/globals';
import type { KvTransferServiceClient } from '@roost/protocol';

import { KvChannel } from './kv-channel.js';

// Owns: when a channel to a context worker is closed.

function channelWith(close: () => void): KvChannel {
  return new KvChannel({ close } as unknown as KvTransferServiceClient);
}

describe('KvChannel', () => {
  it('is closed at once when it is given up without a call', () => {
    const close = jest.fn();
    channelWith(close).giveUp();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('is closed when the last call has ended that was under way when it was given up', () => {
    const close = jest.fn();
    const channel = channelWith(close);
    channel.begin();
    channel.begin();
    channel.giveUp();
    channel.end();
    expect(close).not.toHaveBeenCalled();
    channel.end();
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('stays open between calls', () => {
    const close = jest.fn();
    const channel = channelWith(close);
    channel.begin();
    channel.end();
    expect(close).not.toHaveBeenCalled();
  });
});
