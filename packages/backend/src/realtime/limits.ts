/** Limits of sockets, accounts and channels. */
export const realtimeLimits = {
  /** Bytes of a frame; a larger one closes the socket (1009). */
  maxFrameBytes: 1024 * 1024,
  /** Bytes of a message's body. */
  maxMessageBytes: 256 * 1024,
  maxJsonDepth: 100,
  /** Bytes buffered for a socket that does not read; beyond it the socket is ended. */
  maxBufferedBytes: 1024 * 1024,
  /** Bytes of a channel name in UTF-8: with `realtime:` it must fit into 255. */
  maxTopicBytes: 200,
  /** Concurrent sockets of this process, and of one IP address (a school class may share one). */
  maxSockets: 10_000,
  maxSocketsPerAddress: 1_000,
  /** Concurrently joined channels. */
  maxChannelsPerSocket: 100,
  maxChannelsPerAccount: 500,
  /** Joins of a socket. The burst is larger than the number of channels it may have. */
  joins: { burst: 150, refillSeconds: 1 / 10 },
  /** Frames of any kind; exceeding it closes the socket (1008). */
  frames: { burst: 2_000, refillSeconds: 1 / 250 },
  /** Broadcasts of a socket, of an account over all sockets, and to a channel. */
  messagesPerSocket: { burst: 200, refillSeconds: 1 / 100 },
  messagesPerAccount: { burst: 400, refillSeconds: 1 / 200 },
  messagesPerChannel: { burst: 1_000, refillSeconds: 1 / 500 },
  /** Presence updates of one member in a channel. */
  presences: { burst: 10, refillSeconds: 2 },
  maxPresenceBytes: 16 * 1024,
  maxPresencesPerChannel: 1_000,
  /** Milliseconds for which presence changes are collected into one message. */
  presenceDiffMs: 30,
  /** Subscriptions to row changes per channel. */
  maxSubscriptions: 20,
  /** Subscriptions per account: each is checked for each change. */
  maxSubscriptionsPerAccount: 200,
  maxFilters: 10,
  maxFilterValues: 100,
  maxPatternLength: 100,
  /** Milliseconds of silence after which a socket is ended: clients send a heartbeat every 25 s. */
  heartbeatTimeoutMs: 60_000,
  sweepIntervalMs: 1_000,
  /** Interval of permission refreshes for members of private channels, in milliseconds. */
  permissionRefreshMs: 2_000,
  /** Permission lookups per database query. */
  permissionBatchSize: 50,
  /** Database connections, besides the listening one. */
  connections: 4,
  /**
   * Milliseconds for which the outbox keeps rows; the same five minutes as in
   * `realtime.has_listener`.
   */
  outboxRetentionMs: 5 * 60_000,
  listenerHeartbeatMs: 5_000,
  /** Milliseconds without a sign of another server after which it counts as gone. */
  serverTimeoutMs: 15_000,
  /** Messages for other servers per statement. */
  relayBatchSize: 500,
  /** Bytes of queued messages for other servers; beyond it, messages are dropped. */
  maxRelayQueueBytes: 16 * 1024 * 1024,
  /** Days for which messages are kept in realtime.messages, as hosted. */
  messageRetentionDays: 3,
} as const;
