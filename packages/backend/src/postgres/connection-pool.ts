import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import type { Options, PostgresType, Sql } from 'postgres';
import type { DatabaseAddress } from './address.ts';
import { isConnectionError } from './connection-errors.ts';

type DriverOptions = Options<Record<string, PostgresType>>;

/** Milliseconds after which a connection is closed instead of reused. */
const maxLifetimeMs = 30 * 60_000;

/**
 * Opens one connection of the driver, without a pool. Connects with the first query, and again with
 * the next one after it closed. Notices are dropped.
 */
export function openConnection(address: DatabaseAddress, options: DriverOptions = {}): Sql {
  const { host, port, database, user, password, tls } = address;
  const endpoint = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  return postgres({
    ...endpoint,
    database,
    user,
    password,
    ...(tls === undefined ? {} : { ssl: tls }),
    connect_timeout: 10,
    onnotice: () => {},
    ...options,
    max: 1,
    // It would close connections between the statements of a transaction.
    max_lifetime: null,
    connection: { application_name: 'vitrine', ...options.connection },
  });
}

/**
 * Creates a pool of up to `max` connections (4 by default), each opened when it's needed and used by
 * one query or transaction at a time. A connection that nothing has used for `idle_timeout` seconds
 * (60 by default) is closed.
 *
 * The driver's own pool opens a closed connection again, with three faults (postgres 3.4.9, issues
 * 1066, 1154 and 1208): a transaction that still uses it ends the process or runs its remaining
 * statements on the new connection, outside of any transaction; and if a query was unsent when it
 * closed, it never sends one again. This pool drops closed connections. Only `listen` is the
 * driver's own. Cursors are for transactions.
 */
export function connectDatabase(
  address: DatabaseAddress,
  { max = 4, idle_timeout: idleSeconds = 60, ...options }: DriverOptions = {},
): Sql {
  const pool = new ConnectionPool({
    max,
    idleMs: idleSeconds * 1_000,
    // The driver's own timer would close connections at the moment when the pool hands them out.
    open: (onclose) => openConnection(address, { ...options, idle_timeout: 0, onclose }),
  });
  // Builds queries, and connects only to listen.
  const base = openConnection(address, options);
  const methods = new Map<PropertyKey, unknown>([
    ['unsafe', (...args: Parameters<Sql['unsafe']>) => pool.route(base.unsafe(...args))],
    ['begin', pool.begin.bind(pool)],
    ['reserve', pool.reserve.bind(pool)],
    ['end', (timing?: { timeout?: number }) => Promise.all([pool.end(timing), base.end(timing)])],
  ]);
  return new Proxy(base, {
    apply: (_target, thisArg, args) => pool.route(Reflect.apply(base, thisArg, args)),
    get: (_target, key) => methods.get(key) ?? Reflect.get(base, key),
  });
}

interface PooledConnection {
  readonly sql: Sql;
  /** Sends a query on this connection. */
  readonly send: DriverQuery['handler'];
  readonly openedAt: number;
  /** Closes the connection, while it is idle. */
  idleTimer?: NodeJS.Timeout;
}

interface ConnectionPoolOptions {
  readonly max: number;
  readonly idleMs: number;
  readonly open: (onclose: () => void) => Sql;
}

type Work = (sql: unknown) => unknown;

class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Connections that aren't closed. */
  readonly #connections = new Set<PooledConnection>();
  /** Connections that nothing uses, the last used one at the end. */
  readonly #idle: PooledConnection[] = [];
  readonly #waiting: PromiseWithResolvers<PooledConnection>[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #isEnding = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Makes the driver send a query on a connection of this pool. Returns other values as they are. */
  route(value: unknown): unknown {
    if (!isQuery(value)) return value;
    value.handler = (query) => {
      this.#use(({ send }) => {
        send(query);
        return query;
      }).catch((error: unknown) => query.reject(error));
    };
    return value;
  }

  begin(...args: unknown[]): Promise<unknown> {
    const [mode, work] = args.length > 1 ? args : ['', args[0]];
    return this.#use(async ({ sql }) => {
      const result = await runBlock(sql, `begin ${String(mode)}`, work, 'rollback');
      const { command } = await sql.unsafe('commit');
      if (command !== 'COMMIT') {
        throw new Error('The transaction was rolled back: one of its statements had failed.');
      }
      return result;
    });
  }

  async reserve(): Promise<unknown> {
    const connection = await this.#acquire();
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#release(connection);
      isReleased = true;
    };
    return Object.assign(connection.sql, { release });
  }

  /** Closes all connections, after what uses them; `timeout` limits the wait, in seconds. */
  async end({ timeout }: { timeout?: number } = {}): Promise<void> {
    this.#isEnding = true;
    for (const connection of this.#idle.splice(0)) this.#close(connection);
    if (this.#connections.size === 0) return;
    if (timeout === undefined) return await this.#drained.promise;
    await Promise.race([this.#drained.promise, delay(timeout * 1_000, undefined, { ref: false })]);
    for (const { reject } of this.#waiting.splice(0)) reject(createEndedError());
    for (const connection of this.#connections) this.#drop(connection);
  }

  async #use<T>(work: (connection: PooledConnection) => T): Promise<Awaited<T>> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } catch (error) {
      if (isConnectionError(error)) this.#drop(connection);
      throw error;
    } finally {
      this.#release(connection);
    }
  }

  async #acquire(): Promise<PooledConnection> {
    if (this.#isEnding) throw createEndedError();
    const waiter = Promise.withResolvers<PooledConnection>();
    this.#waiting.push(waiter);
    this.#serve();
    return await waiter.promise;
  }

  #release(connection: PooledConnection): void {
    if (!this.#connections.has(connection)) return;
    const isOld = performance.now() - connection.openedAt > maxLifetimeMs;
    if (isOld || (this.#isEnding && this.#waiting.length === 0)) this.#close(connection);
    else this.#setIdle(connection);
    this.#serve();
  }

  #setIdle(connection: PooledConnection): void {
    this.#idle.push(connection);
    connection.idleTimer = setTimeout(() => this.#close(connection), this.#options.idleMs).unref();
  }

  /** Removes the connection from those that can be handed out. */
  #unsetIdle(connection: PooledConnection): void {
    clearTimeout(connection.idleTimer);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #serve(): void {
    while (
      this.#waiting.length > 0 &&
      (this.#idle.length > 0 || this.#connections.size < this.#options.max)
    ) {
      const connection = this.#idle.at(-1) ?? this.#openConnection();
      this.#unsetIdle(connection);
      this.#waiting.shift()?.resolve(connection);
    }
  }

  #openConnection(): PooledConnection {
    const sql = this.#options.open(() => this.#drop(connection));
    const connection: PooledConnection = {
      sql,
      send: getHandler(sql),
      openedAt: performance.now(),
    };
    this.#connections.add(connection);
    return connection;
  }

  /** Closes a connection that nothing uses. */
  #close(connection: PooledConnection): void {
    this.#unsetIdle(connection);
    void connection.sql.end().then(() => this.#drop(connection));
  }

  /** Removes a connection, which rejects its queries, also those that it's sent from now on. */
  #drop(connection: PooledConnection): void {
    if (!this.#connections.delete(connection)) return;
    this.#unsetIdle(connection);
    void connection.sql.end({ timeout: 0 });
    this.#serve();
    if (this.#isEnding && this.#connections.size === 0) this.#drained.resolve();
  }
}

/** Number of savepoints so far, which gives each its own name. */
let savepointCount = 0;

/** Runs `work` after the statement `start`. If it throws, runs the statement `undo`. */
async function runBlock(sql: Sql, start: string, work: unknown, undo: string): Promise<unknown> {
  if (!isWork(work)) throw new TypeError('A transaction needs a function.');
  await sql.unsafe(start);
  const savepoint = (...args: unknown[]) => {
    const name = `s${(savepointCount += 1)}`;
    return runBlock(sql, `savepoint ${name}`, args.at(-1), `rollback to ${name}`);
  };
  try {
    const result = work(Object.assign(sql, { savepoint }));
    return await (Array.isArray(result) ? Promise.all(result) : result);
  } catch (error) {
    // Fails on a broken connection, where nothing is left to undo.
    await sql.unsafe(undo).catch(() => {});
    throw error;
  }
}

function isWork(value: unknown): value is Work {
  return typeof value === 'function';
}

/** Query of the driver. It calls its handler with itself when it's awaited. */
interface DriverQuery extends Promise<unknown> {
  handler: (query: DriverQuery) => void;
  reject: (error: unknown) => void;
}

function isQuery(value: unknown): value is DriverQuery {
  return value instanceof Promise && 'handler' in value && 'reject' in value;
}

/** Returns the function of a connection that sends a query on it. */
function getHandler(sql: Sql): DriverQuery['handler'] {
  const query: unknown = sql``;
  if (isQuery(query)) return query.handler;
  throw new Error('connection-pool.ts does not support this version of the postgres driver.');
}

function createEndedError(): Error {
  return Object.assign(new Error('The connection pool is closed.'), { code: 'CONNECTION_ENDED' });
}
