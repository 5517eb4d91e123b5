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
import { cleanOutbox, OutboxFeed } from './outbox-feed.ts';
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
  upgrade(request: UpgradeRequest): void;
  /** Handles a request for `/realtime/v1/api/…`. */
  handle(request: Request, caller: Caller, clientIp: string): Promise<Response>;
  /** Deletes old messages from the outbox. */
  cleanUp(): Promise<void>;
  close(): Promise<void>;
}

interface RealtimeOptions {
  /** Connection as the user `supabase_realtime_admin`. */
  database: DatabaseAddress;
  keys: Pick<TokenKeys, 'verify'>;
  getKeyRole(key: string): SocketCredentials['keyRole'] | undefined;
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
    publishMessage: (channelKey, message) => clusterBus.publishMessage(channelKey, message),
    publishPresence: (channelKey) => clusterBus.publishPresence(channelKey),
  });
  const clusterBus = createClusterBus({ server, sql, rooms, log });
  const rowChanges = createRowChangeSubscriptions(sql, log);
  const ctx: RealtimeContext = {
    keys: options.keys,
    permissionLookup: createPermissionLookup(sql, log),
    rooms,
    rowChanges,
    accounts: createAccountLimits(),
    hasPublicChannels: options.hasPublicChannels,
    log,
  };
  const sockets = createSockets(ctx);
  const permissionRefresh = startPermissionRefresh(ctx);
  const feed = await OutboxFeed.open(
    { server, sql, database: options.database, log },
    {
      isNeeded: (kind) => (kind === 'change' ? rowChanges.hasSubscribers() : sockets.hasSockets()),
      onMessage: (channelKey, message) => rooms.broadcast(channelKey, message),
      onChanges: (changes) => rowChanges.deliver(changes),
      onServerList: (servers) => clusterBus.setServers(servers),
      onServerSeen: (other, isHello) => clusterBus.onServerSeen(other, isHello),
      onRelayedMessage: (other, channelKey, payload, message) =>
        clusterBus.onMessage(other, channelKey, payload, message),
      onRevoked: (account) => void permissionRefresh.refreshAccount(account),
      onMissed: () => sockets.closeAll(1012, 'The database was unavailable for too long'),
    },
  );
  const upgrade = createUpgradeHandler({
    origins: options.origins,
    getKeyRole: options.getKeyRole,
    checkLimits: (clientIp) => sockets.checkLimits(clientIp),
    onSocket: (socket, version, credentials) => sockets.open(socket, version, credentials),
  });

  const sweepTimer = setInterval(() => {
    sockets.terminateIdle();
    ctx.accounts.removeIdle();
    for (const member of rooms.listMembers()) {
      if ((member.identity.expiresAt ?? Infinity) <= Date.now()) member.end('Token has expired');
    }
  }, realtimeLimits.sweepIntervalMs);
  sweepTimer.unref();

  return {
    upgrade(request) {
      try {
        upgrade(request);
      } catch (error) {
        log.error('Couldn’t open a socket.', { reason: describeErrorForLog(error) });
        request.socket.destroy();
      }
    },
    handle: (request, caller, clientIp) => handleHttpBroadcast(ctx, request, caller, clientIp),
    cleanUp: () => cleanOutbox(sql),
    async close() {
      clearInterval(sweepTimer);
      await sockets.close();
      await permissionRefresh.close();
      await clusterBus.close();
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
