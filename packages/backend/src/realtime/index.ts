import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import type { TokenKeys } from '../auth/keys.ts';
import { describeReason } from '../log.ts';
import type { Log } from '../log.ts';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import type { Caller } from '../rest/index.ts';
import { createAccounts } from './accounts.ts';
import type { RealtimeContext } from './channel.ts';
import { answerBroadcast } from './http-broadcast.ts';
import type { Opener } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import { cleanOutbox, openOutboxFeed } from './outbox-feed.ts';
import { recheckRights } from './recheck.ts';
import { createRelay } from './relay.ts';
import { createRightsLookup } from './rights.ts';
import { createRooms } from './rooms.ts';
import { createRowChanges } from './row-changes.ts';
import { createSockets } from './sockets.ts';
import { createUpgrade } from './upgrade.ts';
import type { UpgradeRequest } from './upgrade.ts';

export interface Realtime {
  /** Handles an upgrade request. Never throws. */
  upgrade(from: UpgradeRequest): void;
  /** Handles a request for `/realtime/v1/api/…`. */
  handle(request: Request, caller: Caller, address: string): Promise<Response>;
  /** Deletes old messages from the outbox. */
  cleanUp(): Promise<void>;
  close(): Promise<void>;
}

export interface RealtimeOptions {
  /** Connection as the user `supabase_realtime_admin`. */
  database: DatabaseAddress;
  keys: Pick<TokenKeys, 'verify'>;
  roleOfKey(key: string): Opener['keyRole'] | undefined;
  origins: readonly string[];
  hasPublicChannels: boolean;
  log: Log;
}

/**
 * Opens Supabase's Realtime API: channels over WebSockets, for messages of clients and of the
 * database, and for changes of rows.
 */
export async function openRealtime(options: RealtimeOptions): Promise<Realtime> {
  const { log } = options;
  const sql = connectRealtime(options.database);
  const server = randomUUID();
  const rooms = createRooms({
    sent: (channelKey, message) => relay.sent(channelKey, message),
    changed: (channelKey) => relay.changed(channelKey),
  });
  const relay = createRelay({ server, sql, rooms, log });
  const rowChanges = createRowChanges(sql, log);
  const ctx: RealtimeContext = {
    keys: options.keys,
    rights: createRightsLookup(sql, log),
    rooms,
    rowChanges,
    accounts: createAccounts(),
    hasPublicChannels: options.hasPublicChannels,
    log,
  };
  const sockets = createSockets(ctx);
  const rechecking = recheckRights(ctx);
  const feed = await openOutboxFeed(
    { server, sql, database: options.database, log },
    {
      wants: (kind) => (kind === 'change' ? rowChanges.isWanted() : sockets.areThereAny()),
      message: (channelKey, message) => rooms.broadcast(channelKey, message),
      changes: (changes) => rowChanges.deliver(changes),
      others: (servers) => relay.regard(servers),
      heard: (other, saysHello) => relay.hear(other, saysHello),
      relayed: (other, channelKey, told, message) =>
        relay.receive(other, channelKey, told, message),
      revoked: (account) => void rechecking.checkAccount(account),
      missed: () => sockets.closeAll(1012, 'The database was unavailable for too long'),
    },
  );
  const upgrade = createUpgrade({
    origins: options.origins,
    roleOfKey: options.roleOfKey,
    findObstacle: (address) => sockets.findObstacle(address),
    onSocket: (socket, version, opener) => sockets.open(socket, version, opener),
  });

  const sweeping = setInterval(() => {
    sockets.sweep();
    ctx.accounts.sweep();
    for (const member of rooms.listMembers()) {
      if ((member.identity.expiresAt ?? Infinity) <= Date.now()) member.end('Token has expired');
    }
  }, realtimeLimits.sweepIntervalMs);
  sweeping.unref();

  return {
    upgrade(from) {
      try {
        upgrade(from);
      } catch (error) {
        log.error('A socket could not be opened.', { reason: describeReason(error) });
        from.socket.destroy();
      }
    },
    handle: (request, caller, address) => answerBroadcast(ctx, request, caller, address),
    cleanUp: () => cleanOutbox(sql),
    async close() {
      clearInterval(sweeping);
      await sockets.close();
      await rechecking.close();
      await relay.close();
      await feed.close();
      rooms.close();
      await sql.end({ timeout: 5 });
    },
  };
}

/**
 * Connects as supabase_realtime_admin, which switches to the user's role within
 * `realtime.find_rights` and the like.
 */
function connectRealtime(address: DatabaseAddress): Sql {
  return connectDatabase(address, {
    max: realtimeLimits.connections,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 60,
    fetch_types: false,
    connection: { TimeZone: 'UTC' },
  });
}
