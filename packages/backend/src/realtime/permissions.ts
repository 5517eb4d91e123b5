import type { Sql } from 'postgres';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import type { SocketIdentity } from './identity.ts';
import { realtimeLimits } from './limits.ts';

/** Permissions of a user in a private channel. */
export interface ChannelPermissions {
  readBroadcasts: boolean;
  writeBroadcasts: boolean;
  readPresence: boolean;
  writePresence: boolean;
}

/** Permissions in public channels, which have no policies. */
export const allPermissions: ChannelPermissions = {
  readBroadcasts: true,
  writeBroadcasts: true,
  readPresence: true,
  writePresence: true,
};

export interface PermissionLookup {
  /** Looks up permissions by the policies on realtime.messages. Concurrent lookups are batched. */
  find(identity: SocketIdentity, topic: string): Promise<ChannelPermissions>;
}

interface PendingLookup {
  identity: SocketIdentity;
  topic: string;
  resolve(permissions: ChannelPermissions): void;
  reject(error: unknown): void;
}

/** Two batches at once, so that a slow policy in one does not block everyone. */
const maxBatches = 2;

export function createPermissionLookup(sql: Sql, log: Log): PermissionLookup {
  const pending: PendingLookup[] = [];
  let running = 0;

  function startBatches(): void {
    while (running < maxBatches && pending.length > 0) {
      running++;
      const batch = pending.splice(0, realtimeLimits.permissionBatchSize);
      void resolveBatch(batch).finally(() => {
        running--;
        startBatches();
      });
    }
  }

  async function resolveBatch(batch: PendingLookup[]): Promise<void> {
    try {
      const granted = await queryBatch(batch);
      batch.forEach((lookup, number) =>
        lookup.resolve(parsePermissions(granted.get(number) ?? [])),
      );
    } catch (error) {
      for (const lookup of batch) lookup.reject(error);
    }
  }

  async function queryBatch(batch: PendingLookup[]): Promise<Map<number, string[]>> {
    const lookups = batch.map(({ identity: { role, claims }, topic }) => ({ topic, role, claims }));
    return await sql.begin(async (tx) => {
      const rows = await tx<{ number: number; rights: string }[]>`
        select number, to_json(rights)::text as rights
        from realtime.find_rights(${JSON.stringify(lookups)}::text::jsonb)`;
      // The lookup inserts rows.
      await tx`rollback and chain`;
      return new Map(rows.map(({ number, rights }) => [number, JSON.parse(rights) as string[]]));
    });
  }

  function parsePermissions(granted: string[]): ChannelPermissions {
    const failed = granted.find((right) => right.startsWith('failed '));
    if (failed !== undefined) {
      log.warn('A policy on realtime.messages failed.', {
        sqlstate: failed.slice('failed '.length),
      });
    }
    return {
      readBroadcasts: granted.includes('read broadcast'),
      writeBroadcasts: granted.includes('write broadcast'),
      readPresence: granted.includes('read presence'),
      writePresence: granted.includes('write presence'),
    };
  }

  return {
    find: (identity, topic) =>
      new Promise((resolve, reject) => {
        pending.push({ identity, topic, resolve, reject });
        // Waits for frames that have already arrived, whose lookups join this batch.
        if (pending.length === 1) setImmediate(startBatches);
      }),
  };
}

/** Logs a failed lookup. */
export function logPermissionError(log: Log, error: unknown): void {
  log.warn('Couldn’t refresh channel permissions.', { reason: describeErrorForLog(error) });
}
