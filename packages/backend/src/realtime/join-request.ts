import { isRecord, isStorable } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import { parseFilters, type RowFilter } from './row-filters.ts';

/** What a client asks for as it joins a channel. */
export interface JoinRequest {
  token: string | undefined;
  isPrivate: boolean;
  /** Whether its own messages come back to it. */
  hearsSelf: boolean;
  /** Whether each of its messages is answered. */
  wantsAnswers: boolean;
  /** Whether it is told once messages of the database arrive. */
  wantsReady: boolean;
  followsPresence: boolean;
  /** Empty: one is made up. */
  presenceKey: string;
  interests: Interest[];
  /** Whether a wish for changes that cannot be met fails the join. */
  waitsForInterests: boolean;
}

/** Which changes of rows it wants to hear of. */
export interface Interest {
  /** As the client wrote it, which it compares with the answer. */
  asked: Record<string, unknown>;
  schema: string;
  table: string;
  event: string;
  filters: RowFilter[];
  columns: string[] | null;
  /** Why it cannot be met, if its form says so. */
  problem: string | undefined;
}

/** What is missing or has another form is as if it was not asked for. Throws a RangeError for what is not served. */
export function parseJoin(payload: Record<string, unknown>): JoinRequest {
  const config = recordOf(payload['config']);
  const broadcast = recordOf(config['broadcast']);
  const presence = recordOf(config['presence']);
  if (broadcast['replay'] !== undefined && broadcast['replay'] !== null) {
    throw new RangeError('UnableToReplayMessages: Replay is not supported');
  }
  const token = payload['access_token'] ?? payload['user_token'];
  const key = presence['key'];
  const presenceKey = typeof key === 'string' || typeof key === 'number' ? String(key) : '';
  if (presenceKey.length > 255)
    throw new RangeError('InvalidJoinPayload: The presence key is too long');
  if (!isStorable(presenceKey))
    throw new RangeError('InvalidJoinPayload: The presence key is no text');
  return {
    token: typeof token === 'string' ? token : undefined,
    isPrivate: isTrue(config['private']),
    hearsSelf: isTrue(broadcast['self']),
    wantsAnswers: isTrue(broadcast['ack']),
    wantsReady: isTrue(broadcast['replication_ready']),
    followsPresence: isTrue(presence['enabled']),
    presenceKey,
    interests: parseInterests(config['postgres_changes']),
    waitsForInterests: isTrue(recordOf(config['postgres_changes_options'])['wait']),
  };
}

function parseInterests(value: unknown): Interest[] {
  const items = Array.isArray(value) ? value.filter(isRecord) : [];
  if (items.length > realtimeLimits.maxInterests) {
    throw new RangeError('InvalidJoinPayload: Too many subscriptions to changes');
  }
  return items.map(parseInterest);
}

function parseInterest(asked: Record<string, unknown>): Interest {
  const { event, schema, table, filter, select } = asked;
  const interest = {
    asked,
    schema: typeof schema === 'string' ? schema : 'public',
    table: typeof table === 'string' ? table : '*',
    event: typeof event === 'string' ? event.toUpperCase() : '*',
    columns: Array.isArray(select) ? select.filter((name) => typeof name === 'string') : null,
  };
  if (!/^(\*|INSERT|UPDATE|DELETE)$/.test(interest.event)) {
    return { ...interest, filters: [], problem: 'the event is none' };
  }
  try {
    const filters = typeof filter === 'string' && filter !== '' ? parseFilters(filter) : [];
    return { ...interest, filters, problem: undefined };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...interest, filters: [], problem: error.message };
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Some clients send booleans as text. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
