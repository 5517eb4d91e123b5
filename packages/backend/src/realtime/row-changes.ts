import type { Sql } from 'postgres';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import { isConnectionError } from '../postgres/connection-errors.ts';
import { formatFrame } from './frames.ts';
import type { SocketIdentity } from './identity.ts';
import type { RowSubscription } from './join-config.ts';
import type { ChannelMember } from './rooms.ts';
import { formatTopic } from './topics.ts';

/** Subscriptions to row changes, and their delivery. */
export interface RowChangeSubscriptions {
  /** Validates a subscription; returns the error. Also adds triggers to newly published tables. */
  validate(identity: SocketIdentity, interest: RowSubscription): Promise<string | undefined>;
  /** `id` identifies the subscription to the client. */
  add(member: ChannelMember, id: number, interest: RowSubscription): void;
  removeAll(member: ChannelMember): void;
  hasSubscribers(): boolean;
  /** Sends the changes of one transaction to the subscribers that may see them. */
  deliver(changes: readonly OutboxChange[]): Promise<void>;
}

export interface OutboxChange {
  readonly seq: string;
  readonly schema: string;
  readonly table: string;
  readonly operation: string;
}

interface Subscription {
  readonly member: ChannelMember;
  readonly id: number;
  readonly interest: RowSubscription;
}

/** Changes per database query. */
const batchSize = 100;

export function createRowChangeSubscriptions(sql: Sql, log: Log): RowChangeSubscriptions {
  const subscriptions = new Map<ChannelMember, Subscription[]>();

  async function updateTriggers(): Promise<void> {
    const rows = await sql<{ trouble: string }[]>`
      select follow_publication as trouble from vitrine_backend.follow_publication()`;
    for (const { trouble } of rows) {
      log.warn('Changes to a published table can’t be tracked.', { trouble });
    }
  }

  function listMatching(changes: readonly OutboxChange[]): Subscription[] {
    const matches = ({ interest }: Subscription, change: OutboxChange) =>
      ['*', change.schema].includes(interest.schema) &&
      ['*', change.table].includes(interest.table) &&
      ['*', change.operation].includes(interest.event);
    return [...subscriptions.values()]
      .flat()
      .filter((subscription) => changes.some((change) => matches(subscription, change)));
  }

  async function deliverBatch(changes: readonly OutboxChange[]): Promise<void> {
    const matching = listMatching(changes);
    if (matching.length === 0) return;
    try {
      await queryAndSend(changes, matching);
    } catch (error) {
      if (isConnectionError(error)) throw error;
      // For instance, a policy takes too long. The members are ended so that they notice the
      // missing changes.
      log.error('Couldn’t send row changes.', { reason: describeErrorForLog(error) });
      for (const { member } of matching) member.end('Changes could not be read');
    }
  }

  async function queryAndSend(
    changes: readonly OutboxChange[],
    matching: readonly Subscription[],
  ): Promise<void> {
    const interests = matching.map(({ member: { identity }, interest }, number) => {
      const { schema, table, event, filters, columns } = interest;
      const { role, claims } = identity;
      return { number, schema, table, event, filters, columns, role, claims };
    });
    const seqs = JSON.stringify(changes.map(({ seq }) => seq));
    const rows = await sql<{ body: string; readers: string }[]>`
      select body, to_json(readers)::text as readers from realtime.find_readers(
        array(select value::bigint from jsonb_array_elements_text(${seqs}::text::jsonb)),
        ${JSON.stringify(interests)}::text::jsonb)`;
    for (const { body, readers } of rows) {
      const numbers = new Set(JSON.parse(readers) as number[]);
      sendChange(
        matching.filter((_, number) => numbers.has(number)),
        body,
      );
    }
  }

  /** Sends a change once per member, with the ids of all matching subscriptions. */
  function sendChange(readers: readonly Subscription[], body: string): void {
    for (const [member, ownSubscriptions] of Map.groupBy(
      readers,
      (subscription) => subscription.member,
    )) {
      if (!subscriptions.has(member)) continue; // The member left meanwhile.
      const ids = ownSubscriptions.map(({ id }) => id).join(',');
      const refs = { joinRef: null, ref: null, topic: formatTopic(member.name) };
      const payload = `{"ids":[${ids}],"data":${body}}`;
      member.send(formatFrame(member.version, refs, 'postgres_changes', payload));
    }
  }

  return {
    async validate({ role }, interest) {
      if (interest.error !== undefined) return interest.error;
      await updateTriggers();
      const { schema, table, filters } = interest;
      const input = JSON.stringify({ schema, table, filters, role });
      const [row] = await sql<{ problem: string | null }[]>`
        select realtime.judge_interest(${input}::text::jsonb) as problem`;
      return row?.problem ?? undefined;
    },
    add(member, id, interest) {
      const existing = subscriptions.get(member);
      const subscription = { member, id, interest };
      if (existing) existing.push(subscription);
      else subscriptions.set(member, [subscription]);
    },
    removeAll: (member) => void subscriptions.delete(member),
    hasSubscribers: () => subscriptions.size > 0,
    async deliver(changes) {
      for (let start = 0; start < changes.length; start += batchSize) {
        await deliverBatch(changes.slice(start, start + batchSize));
      }
    },
  };
}
