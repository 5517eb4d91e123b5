import postgres from 'postgres';
import type { Options, PostgresType, Sql } from 'postgres';

/** Where a database is and as whom to connect. `host` that starts with `/` is a socket folder. */
export interface DatabaseAddress {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** `require` encrypts, `verify-full` also checks the server's certificate. Default: neither. */
  tls?: 'require' | 'verify-full';
}

/**
 * Reads `postgres://user:password@host:port/database`; a socket folder is given as
 * `postgres://user@/database?host=/folder`. Of the query only `host`, `port` and `sslmode` are
 * known; anything else throws, so that no setting is silently without effect.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const { url, hostless } = readUrl(text);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw new Error('DATABASE_URL must begin with postgres:// or postgresql://.');
  }
  for (const name of url.searchParams.keys()) {
    if (!['host', 'port', 'sslmode'].includes(name)) {
      throw new Error(`DATABASE_URL has the unknown parameter ${name}.`);
    }
  }
  const host = url.searchParams.get('host') ?? (hostless ? '' : unbracket(url.hostname));
  const user = decodeURIComponent(url.username);
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  if (host === '') throw new Error('DATABASE_URL names no host.');
  if (user === '') throw new Error('DATABASE_URL names no user.');
  const address: DatabaseAddress = {
    host,
    port: parsePort(url.port || url.searchParams.get('port') || '5432'),
    database,
    user,
    password: decodeURIComponent(url.password),
  };
  const tls = parseSslMode(url.searchParams.get('sslmode'));
  return tls === undefined ? address : { ...address, tls };
}

export function formatDatabaseUrl(address: DatabaseAddress): string {
  const password = address.password === '' ? '' : `:${encodeURIComponent(address.password)}`;
  const credentials = `${encodeURIComponent(address.user)}${password}@`;
  const database = encodeURIComponent(address.database);
  const query = new URLSearchParams();
  if (address.tls !== undefined) query.set('sslmode', address.tls);
  if (!address.host.startsWith('/')) {
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const tail = query.size === 0 ? '' : `?${query.toString()}`;
    return `postgres://${credentials}${host}:${address.port}/${database}${tail}`;
  }
  query.set('host', address.host);
  query.set('port', String(address.port));
  return `postgres://${credentials}/${database}?${query.toString()}`;
}

/** A pool of connections to `address`. Opens none until the first query; notices are dropped. */
export function connectDatabase(
  address: DatabaseAddress,
  options: Options<Record<string, PostgresType>> = {},
): Sql {
  const { host, port, database, user, password, tls } = address;
  const place = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  return postgres({
    ...place,
    database,
    user,
    password,
    ...(tls === undefined ? {} : { ssl: tls }),
    max: 4,
    connect_timeout: 10,
    onnotice: () => {},
    ...options,
    connection: { application_name: 'vitrine', ...options.connection },
  });
}

/** WHATWG URLs of unknown schemes may not have credentials without a host. */
function readUrl(text: string): { url: URL; hostless: boolean } {
  const filled = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1hostless');
  try {
    return { url: new URL(filled), hostless: filled !== text };
  } catch (error) {
    // The text is left out of the message: it holds a password.
    throw new Error('DATABASE_URL is not an address.', { cause: error });
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Error(`DATABASE_URL has the port ${text}, which is none.`);
  }
  return port;
}

function parseSslMode(mode: string | null): DatabaseAddress['tls'] {
  if (mode === null || mode === 'disable') return undefined;
  if (mode === 'require' || mode === 'verify-full') return mode;
  throw new Error(`DATABASE_URL has sslmode=${mode}; known are disable, require and verify-full.`);
}

function unbracket(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
