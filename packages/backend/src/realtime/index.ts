import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import type { TokenKeys } from '../auth/keys.ts';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import type { Caller } from '../rest/index.ts';
import { createAccountLimits } from './account-limits.ts';
import type { RealtimeContext } from './channel.ts';
import { handleHttpBroadcast } from './http-broadcast.ts';
import type { SocketCredentials } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import { cleanOutbox, openOutboxFeed } from './outbox-feed.ts';
import { startPermissionRefresh } from './permission-refresh.ts';
import { createClusterBus } from './cluster-bus.ts';
import { createPermissionLookup } from './permissions.ts';
import { createRooms } from './rooms.ts';
import { createRowChangeSubscriptions } from './row-changes.ts';
import { createSockets } from './sockets.ts';
import { createUpgradeHandler } from './upgrade.ts';
import type { UpgradeRequest } from './upgrade.ts';

export interface RealtimeService {
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
  roleOfKey(key: string): SocketCredentials['keyRole'] | undefined;
  origins: readonly string[];
  hasPublicChannels: boolean;
  log: Log;
}

/**
 * Opens Supabase's Realtime API: channels over WebSockets, for messages of clients and of the
 * database, and for changes of rows.
 */
export async function openRealtime(options: RealtimeOptions): Promise<RealtimeService> {
  const { log } = options;
  const sql = connectRealtime(options.database);
  const server = randomUUID();
  const rooms = createRooms({
    sent: (channelKey, message) => relay.publishMessage(channelKey, message),
    changed: (channelKey) => relay.publishPresence(channelKey),
  });
  const relay = createClusterBus({ server, sql, rooms, log });
  const rowChanges = createRowChangeSubscriptions(sql, log);
  const ctx: RealtimeContext = {
    keys: options.keys,
    rights: createPermissionLookup(sql, log),
    rooms,
    rowChanges,
    accounts: createAccountLimits(),
    hasPublicChannels: options.hasPublicChannels,
    log,
  };
  const sockets = createSockets(ctx);
  const rechecking = startPermissionRefresh(ctx);
  const feed = await openOutboxFeed(
    { server, sql, database: options.database, log },
    {
      isNeeded: (kind) => (kind === 'change' ? rowChanges.hasSubscribers() : sockets.hasSockets()),
      onMessage: (channelKey, message) => rooms.broadcast(channelKey, message),
      onChanges: (changes) => rowChanges.deliver(changes),
      onServerList: (servers) => relay.setServers(servers),
      onServerSign: (other, saysHello) => relay.onServerSign(other, saysHello),
      onRelayedMessage: (other, channelKey, told, message) =>
        relay.onMessage(other, channelKey, told, message),
      onRevoked: (account) => void rechecking.refreshAccount(account),
      onMissed: () => sockets.closeAll(1012, 'The database was unavailable for too long'),
    },
  );
  const upgrade = createUpgradeHandler({
    origins: options.origins,
    roleOfKey: options.roleOfKey,
    findRejection: (address) => sockets.findRejection(address),
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
        log.error('Couldn’t open a socket.', { reason: describeErrorForLog(error) });
        from.socket.destroy();
      }
    },
    handle: (request, caller, address) => handleHttpBroadcast(ctx, request, caller, address),
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
