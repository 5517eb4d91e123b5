import postgres, { type Sql } from 'postgres';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import { restLimits } from './limits.ts';
import { RestError } from './rest-error.ts';

/**
 * Connections, each of which belongs to one request from its `begin` to its `commit`.
 *
 * A request's statements are sent without waiting between them, so they must arrive on one
 * connection, in order, with nobody else's among them: else a statement runs with another
 * person's role and claims. postgres.js gives that order only to an instance that has a single
 * connection and a single user at a time, so each session is such an instance; `sql.reserve()`
 * loses connections when the database restarts, and `sql.begin()` waits for three answers in turn.
 *
 * Should a connection break between two of the statements, the driver sends what is left on a new
 * one. There it meets the connection's own settings: role anon, no claims, read only.
 */
export interface SessionPool {
  /** Runs `work` with a session of its own. Refuses when none becomes free in time. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Session {
  readonly sql: Sql;
  /** Texts prepared on this connection so far. */
  readonly prepared: Set<string>;
}

interface Waiting {
  resolve(session: Session): void;
  timer: NodeJS.Timeout;
}

/** At most `size` sessions, each connected when it is first needed. */
export function openSessionPool(database: DatabaseAddress, size: number): SessionPool {
  const free: Session[] = [];
  const waiting: Waiting[] = [];
  const sessions = new Set<Session>();
  let closed = false;

  function openSession(): Session {
    const session = { sql: connectSession(database), prepared: new Set<string>() };
    sessions.add(session);
    return session;
  }

  async function take(): Promise<Session> {
    if (closed) throw new RestError(503, 'PGRST001', 'The server is shutting down');
    const session = free.pop() ?? (sessions.size < size ? openSession() : undefined);
    return session ?? (await wait());
  }

  function wait(): Promise<Session> {
    if (waiting.length >= restLimits.maxWaiting) throw noSession();
    return new Promise((resolve, reject) => {
      const entry: Waiting = { resolve, timer: setTimeout(giveUp, restLimits.sessionWaitMs) };
      waiting.push(entry);
      function giveUp(): void {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(noSession());
      }
    });
  }

  function give(session: Session): void {
    const next = waiting.shift();
    if (!next) return void free.push(session);
    clearTimeout(next.timer);
    next.resolve(session);
  }

  function replace(session: Session): Session {
    sessions.delete(session);
    void session.sql.end({ timeout: 0 });
    return openSession();
  }

  return {
    async use(work) {
      const session = await take();
      let sound = false;
      try {
        const result = await work(session);
        sound = true;
        return result;
      } catch (error) {
        sound = isRefusal(error);
        throw error;
      } finally {
        const full = session.prepared.size >= restLimits.maxStatements;
        give(closed || (sound && !full) ? session : replace(session));
      }
    },
    async close() {
      closed = true;
      await Promise.all([...sessions].map(({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}

function noSession(): RestError {
  return new RestError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.');
}

/** Refused by the server or by us, the connection is as it was; after anything else who knows. */
function isRefusal(error: unknown): boolean {
  return error instanceof postgres.PostgresError || error instanceof RestError;
}

function connectSession(database: DatabaseAddress): Sql {
  return connectDatabase(database, {
    max: 1,
    // A connection that expired could do so between the statements of a request.
    max_lifetime: null,
    idle_timeout: 0,
    // We send and receive text only.
    fetch_types: false,
    connection: { role: 'anon', default_transaction_read_only: true },
  });
}
