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
   * limited, so that slow requests of one user, or of all visitors, leave sessions for the others.
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
  owner: string;
  resolve(session: PooledSession): void;
  timer: NodeJS.Timeout;
}

/** Opens a pool of up to `size` sessions, each connected on first use. */
export function openSessionPool(database: DatabaseAddress, size: number): SessionPool {
  const free: PooledSession[] = [];
  const waiting: WaitingRequest[] = [];
  const sessions = new Set<PooledSession>();
  /** Sessions in use, by user; users without one have no entry. */
  const held = new Map<string, number>();
  const maxPerUser = Math.ceil(size * restLimits.maxSessionShare);
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

  function canHold(owner: string): boolean {
    return (held.get(owner) ?? 0) < maxPerUser;
  }

  function updateHeld(owner: string, by: 1 | -1): void {
    const count = (held.get(owner) ?? 0) + by;
    if (count > 0) held.set(owner, count);
    else held.delete(owner);
  }

  async function acquireSession(owner: string): Promise<PooledSession> {
    if (closed) throw new RestError(503, 'PGRST001', 'The server is shutting down');
    if (!canHold(owner)) return await waitForSession(owner);
    const session = free.pop() ?? (sessions.size < size ? openSession() : undefined);
    if (!session) return await waitForSession(owner);
    updateHeld(owner, 1);
    return session;
  }

  function waitForSession(owner: string): Promise<PooledSession> {
    const own = waiting.filter((entry) => entry.owner === owner).length;
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

  /** Returns a session to the pool, or to the first waiting request that may hold one more. */
  function releaseSession(owner: string, session: PooledSession): void {
    updateHeld(owner, -1);
    const index = waiting.findIndex((entry) => canHold(entry.owner));
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    if (!next) return void free.push(session);
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
      const owner = getUserKey(caller);
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

/** Key of the user; all visitors share one. */
function getUserKey({ role, claims }: Caller): string {
  return typeof claims['sub'] === 'string' ? `${role} ${claims['sub']}` : role;
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
