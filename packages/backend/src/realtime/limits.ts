/** How much one socket, one account and one channel may ask for, and what is kept for them. */
export const realtimeLimits = {
  /** Of one frame; a larger one closes the socket (1009). */
  maxFrameBytes: 1024 * 1024,
  /** Of what one message carries. */
  maxMessageBytes: 256 * 1024,
  maxJsonDepth: 100,
  /** What waits for a socket that does not read; beyond it, the socket is ended. */
  maxWaitingBytes: 1024 * 1024,
  /** A channel's name, in bytes of UTF-8: with `realtime:` it must fit a header of 255. */
  maxTopicBytes: 200,
  /** Of sockets at once: of this process, and of one address (a class shares one). */
  maxSockets: 10_000,
  maxSocketsOfAddress: 1_000,
  /** Channels joined at once. */
  maxChannelsOfSocket: 100,
  maxChannelsOfAccount: 500,
  /** Joins of a socket: at once, more than it may have channels. */
  joins: { burst: 150, perSecond: 10 },
  /** Frames of any kind; a socket beyond them is closed (1008). */
  frames: { burst: 2_000, perSecond: 250 },
  /** Messages that are sent on, of a socket, of an account over all its sockets, to a channel. */
  messagesOfSocket: { burst: 200, perSecond: 100 },
  messagesOfAccount: { burst: 400, perSecond: 200 },
  messagesOfChannel: { burst: 1_000, perSecond: 500 },
  /** What one member says of themself in a channel. */
  presences: { burst: 10, perSecond: 0.5 },
  maxPresenceBytes: 16 * 1024,
  maxPresencesOfChannel: 1_000,
  /** Changes of presence within this time are told together. */
  presenceDiffMs: 30,
  /** Subscriptions to row changes of one channel. */
  maxInterests: 20,
  /** Over all its channels: each is looked at for each change. */
  maxInterestsOfAccount: 200,
  maxFilters: 10,
  maxFilterValues: 100,
  maxPatternLength: 100,
  /** A socket that says nothing for so long is gone: clients send a heartbeat every 25 s. */
  silenceMs: 60_000,
  sweepMs: 1_000,
  /** How often the rights of members of private channels are looked up again. */
  recheckMs: 2_000,
  /** Of questions about rights: how many go to the database together. */
  rightsBatch: 50,
  /** Connections to the database, beside the one that listens. */
  connections: 4,
  /** How long the outbox keeps what was told; `realtime.has_listener` has the same five minutes. */
  outboxKeptMs: 5 * 60_000,
  listenerBeatMs: 5_000,
  /** Another server that was not heard of for so long is gone. */
  serverGoneMs: 15_000,
  /** How much other servers are told in one statement. */
  relayedAtOnce: 500,
  /** Of messages that other servers have not been told of; beyond it, they miss some. */
  maxRelayedBytes: 16 * 1024 * 1024,
  /** How long messages are kept in realtime.messages, as hosted. */
  messagesKeptDays: 3,
} as const;
