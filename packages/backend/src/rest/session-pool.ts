import postgres, { type Sql } from 'postgres';
import { openConnection, type DatabaseAddress } from '../postgres/index.ts';
import type { Caller } from './caller.ts';
import { restLimits } from './limits.ts';
import { RestError } from './rest-error.ts';

/**
 * Pool of connections, each of which is used by one request from `begin` to `commit`.
 *
 * A request's statements are sent without waiting in between, so they must run on one connection,
 * in order and without others among them: otherwise a statement would run with another user's role
 * and claims. postgres.js only guarantees that order for an instance with a single connection and
 * one user at a time, so each session is such an instance; `sql.reserve()` loses connections when
 * the database restarts, and `sql.begin()` waits for three round trips.
 *
 * If a connection breaks between two statements, the driver sends the rest on a new one. There it
 * only has the connection's defaults: role anon, no claims, read only.
 */
export interface SessionPool {
  /**
   * Runs `work` with a session. Throws when none becomes free in time. The share per user is
   * limited, so that slow requests of one user, of one visitor, or of all visitors, leave sessions for
   * the others. A free session goes to whoever has the fewest.
   */
  use<T>(caller: Caller, work: (session: PooledSession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface PooledSession {
  readonly sql: Sql;
  /** Statements prepared on this connection, and their total length. */
  readonly prepared: Set<string>;
  preparedLength: number;
}

/** Whether to prepare the statement on the connection; records it as prepared. */
export function trackPrepared(session: PooledSession, text: string): boolean {
  if (text.length > restLimits.maxPreparedLength) return false;
  if (!session.prepared.has(text)) {
    session.prepared.add(text);
    session.preparedLength += text.length;
  }
  return true;
}

function isFull({ prepared, preparedLength }: PooledSession): boolean {
  return (
    prepared.size >= restLimits.maxStatements || preparedLength >= restLimits.maxStatementsLength
  );
}

interface WaitingRequest {
  owner: Owner;
  resolve(session: PooledSession): void;
  timer: NodeJS.Timeout;
}

/** Opens a pool of up to `size` sessions, each connected on first use. */
export function openSessionPool(database: DatabaseAddress, size: number): SessionPool {
  const free: PooledSession[] = [];
  const waiting: WaitingRequest[] = [];
  const sessions = new Set<PooledSession>();
  /** Sessions in use, by user, visitor and group; those without one have no entry. */
  const held = new Map<string, number>();
  let closed = false;

  function openSession(): PooledSession {
    const session: PooledSession = {
      sql: connectSession(database),
      prepared: new Set(),
      preparedLength: 0,
    };
    sessions.add(session);
    return session;
  }

  function countHeld({ key }: Owner): number {
    return held.get(key) ?? 0;
  }

  function canHold({ shares }: Owner): boolean {
    return Object.entries(shares).every(
      ([key, share]) => (held.get(key) ?? 0) < Math.ceil(size * share),
    );
  }

  function updateHeld({ shares }: Owner, by: 1 | -1): void {
    for (const key of Object.keys(shares)) {
      const count = (held.get(key) ?? 0) + by;
      if (count > 0) held.set(key, count);
      else held.delete(key);
    }
  }

  async function acquireSession(owner: Owner): Promise<PooledSession> {
    if (closed) throw new RestError(503, 'PGRST001', 'The server is shutting down');
    if (!canHold(owner)) return await waitForSession(owner);
    const session = free.pop() ?? (sessions.size < size ? openSession() : undefined);
    if (!session) return await waitForSession(owner);
    updateHeld(owner, 1);
    return session;
  }

  function waitForSession(owner: Owner): Promise<PooledSession> {
    const own = waiting.filter((entry) => entry.owner.key === owner.key).length;
    if (own >= restLimits.maxWaitingPerUser || waiting.length >= restLimits.maxWaiting) {
      throw createNoSessionError();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(onTimeout, restLimits.sessionWaitMs);
      const entry: WaitingRequest = { owner, resolve, timer };
      waiting.push(entry);
      function onTimeout(): void {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(createNoSessionError());
      }
    });
  }

  /** Returns a session to the pool, or to a waiting request that may hold one more. */
  function releaseSession(owner: Owner, session: PooledSession): void {
    updateHeld(owner, -1);
    const [next] = waiting
      .filter((entry) => canHold(entry.owner))
      .sort((a, b) => countHeld(a.owner) - countHeld(b.owner));
    if (!next) return void free.push(session);
    waiting.splice(waiting.indexOf(next), 1);
    clearTimeout(next.timer);
    updateHeld(next.owner, 1);
    next.resolve(session);
  }

  function replaceSession(session: PooledSession): PooledSession {
    sessions.delete(session);
    void session.sql.end({ timeout: 0 });
    return openSession();
  }

  return {
    async use(caller, work) {
      const owner = findOwner(caller);
      const session = await acquireSession(owner);
      // No statement may take this long: the driver has lost the connection.
      const timeoutMs = restLimits.statementTimeoutMs[caller.role] + restLimits.connectionLossMs;
      const lostTimer = setTimeout(() => void session.sql.end({ timeout: 0 }), timeoutMs);
      let isUsable = false;
      try {
        const result = await work(session);
        isUsable = true;
        return result;
      } catch (error) {
        isUsable = isStatementError(error);
        throw error;
      } finally {
        clearTimeout(lostTimer);
        releaseSession(
          owner,
          closed || (isUsable && !isFull(session)) ? session : replaceSession(session),
        );
      }
    },
    async close() {
      closed = true;
      await Promise.all([...sessions].map(({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}

/** Who holds a session. */
interface Owner {
  readonly key: string;
  /** Most that may be held of all sessions, by this owner and by a group that it belongs to. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Finds the user, or the visitor by address. All visitors together are a group. */
function findOwner({ role, claims, rateLimitKey = '' }: Caller): Owner {
  const { maxSessionShare, maxVisitorShare } = restLimits;
  const user = claims['sub'];
  const key = typeof user === 'string' ? `${role} ${user}` : role;
  // Without an address, it's a request of this instance itself.
  if (key !== role || rateLimitKey === '') return { key, shares: { [key]: maxSessionShare } };
  const visitor = `${role} at ${rateLimitKey}`;
  return { key: visitor, shares: { [role]: maxSessionShare, [visitor]: maxVisitorShare } };
}

function createNoSessionError(): RestError {
  return new RestError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.');
}

/**
 * Whether the error leaves the connection usable: errors of statements, and errors thrown here. A
 * fatal error of the server (starting, shutting down) ends the connection.
 */
export function isStatementError(error: unknown): boolean {
  if (error instanceof RestError) return true;
  return error instanceof postgres.PostgresError && !/^(FATAL|PANIC)$/.test(error.severity);
}

function connectSession(database: DatabaseAddress): Sql {
  return openConnection(database, {
    // A connection could otherwise expire between the statements of a request.
    idle_timeout: 0,
    // Values are sent and received as text.
    fetch_types: false,
    // Short, so that requests succeed again as soon as a lost database is back.
    backoff: () => 0.2,
    connect_timeout: 3,
    connection: { role: 'anon', default_transaction_read_only: true, TimeZone: 'UTC' },
  });
}
