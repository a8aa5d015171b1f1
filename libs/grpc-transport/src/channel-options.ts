import type { ChannelOptions } from '@grpc/grpc-js';

/**
 * How every channel and server between edge and workers behaves: bodies and token lists may be large, and the token ids of a
 * long prompt come in one go, while what a slow client leaves unread takes no more than that much of an edge's memory; a
 * peer that stops answering is noticed within seconds; one that comes back is used again within a second, under whatever
 * address its name has by then.
 */
export const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc-node.flow_control_window': 512 * 1_024,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.dns_min_time_between_resolutions_ms': 500,
};
