import type { ChannelOptions } from '@grpc/grpc-js';

/**
 * How every channel and server between edge and workers behaves: bodies and token lists may be large; a peer that stops
 * answering is noticed within seconds; one that comes back is used again within a second.
 */
export const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
};
