import { isRecord } from '@vitrine/project';
import { isPostgresText } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import { parseFilters, type RowFilter } from './row-filters.ts';

/** Config of a channel in a join. */
export interface ChannelJoinConfig {
  token: string | undefined;
  isPrivate: boolean;
  /** Whether its own messages are sent back to it. */
  receivesOwnMessages: boolean;
  /** Whether each of its messages gets a reply. */
  wantsAcknowledgments: boolean;
  /** Whether it is notified when messages of the database can arrive. */
  wantsReplicationReady: boolean;
  receivesPresence: boolean;
  /** Empty for a generated key. */
  presenceKey: string;
  subscriptions: RowSubscription[];
  /** Whether an invalid subscription to row changes fails the join. */
  waitsForSubscriptions: boolean;
}

/** A subscription to row changes. */
export interface RowSubscription {
  /** The client's config, which it compares with the reply. */
  config: Record<string, unknown>;
  schema: string;
  table: string;
  event: string;
  filters: RowFilter[];
  columns: string[] | null;
  /** Why the config is invalid; undefined when it is valid. */
  error: string | undefined;
}

/**
 * Parses the payload of a join. Missing or malformed options have their defaults. Throws a
 * RangeError for unsupported ones.
 */
export function parseJoinConfig(payload: Record<string, unknown>): ChannelJoinConfig {
  const config = toRecord(payload['config']);
  const broadcast = toRecord(config['broadcast']);
  const presence = toRecord(config['presence']);
  if (broadcast['replay'] !== undefined && broadcast['replay'] !== null) {
    throw new RangeError('UnableToReplayMessages: Replay is not supported');
  }
  const token = payload['access_token'] ?? payload['user_token'];
  const key = presence['key'];
  const presenceKey = typeof key === 'string' || typeof key === 'number' ? String(key) : '';
  if (presenceKey.length > 255)
    throw new RangeError('InvalidJoinPayload: The presence key is too long');
  if (!isPostgresText(presenceKey))
    throw new RangeError('InvalidJoinPayload: The presence key is not valid text');
  return {
    token: typeof token === 'string' ? token : undefined,
    isPrivate: isTrue(config['private']),
    receivesOwnMessages: isTrue(broadcast['self']),
    wantsAcknowledgments: isTrue(broadcast['ack']),
    wantsReplicationReady: isTrue(broadcast['replication_ready']),
    receivesPresence: isTrue(presence['enabled']),
    presenceKey,
    subscriptions: parseSubscriptions(config['postgres_changes']),
    waitsForSubscriptions: isTrue(toRecord(config['postgres_changes_options'])['wait']),
  };
}

function parseSubscriptions(value: unknown): RowSubscription[] {
  const items = Array.isArray(value) ? value.filter(isRecord) : [];
  if (items.length > realtimeLimits.maxSubscriptions) {
    throw new RangeError('InvalidJoinPayload: Too many subscriptions to changes');
  }
  return items.map(parseSubscription);
}

function parseSubscription(config: Record<string, unknown>): RowSubscription {
  const { event, schema, table, filter, select } = config;
  const interest = {
    config,
    schema: typeof schema === 'string' ? schema : 'public',
    table: typeof table === 'string' ? table : '*',
    event: typeof event === 'string' ? event.toUpperCase() : '*',
    columns: Array.isArray(select) ? select.filter((name) => typeof name === 'string') : null,
  };
  if (!/^(\*|INSERT|UPDATE|DELETE)$/.test(interest.event)) {
    return { ...interest, filters: [], error: 'the event is invalid' };
  }
  try {
    const filters = typeof filter === 'string' && filter !== '' ? parseFilters(filter) : [];
    return { ...interest, filters, error: undefined };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...interest, filters: [], error: error.message };
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Some clients send booleans as text. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
