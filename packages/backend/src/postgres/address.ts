/**
 * Connection settings of a database. A `host` that starts with `/` is the directory of a Unix
 * socket.
 */
export interface DatabaseAddress {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /**
   * `require` encrypts, `verify-full` also verifies the server's certificate. Undefined does
   * neither.
   */
  tls?: 'require' | 'verify-full';
}

/**
 * Parses `postgres://user:password@host:port/database`, or
 * `postgres://user@/database?host=/directory` for a Unix socket. The supported query parameters are
 * `host`, `port` and `sslmode`; others throw, so that no setting is silently ignored. Errors name
 * `setting` and never quote a password.
 */
export function parseDatabaseUrl(text: string, setting = 'DATABASE_URL'): DatabaseAddress {
  const { url, hasNoHost } = parseUrl(text, setting);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw new Error(`${setting} must start with postgres:// or postgresql://.`);
  }
  for (const name of url.searchParams.keys()) {
    if (!['host', 'port', 'sslmode'].includes(name)) {
      throw new Error(`${setting} has the unknown parameter ${name}.`);
    }
  }
  const host = url.searchParams.get('host') ?? (hasNoHost ? '' : stripBrackets(url.hostname));
  const user = decodePart(url.username, setting);
  const database = decodePart(url.pathname.slice(1), setting) || user;
  if (host === '') throw new Error(`${setting} has no host.`);
  if (user === '') throw new Error(`${setting} has no user.`);
  const address: DatabaseAddress = {
    host,
    port: parsePort(url.port || url.searchParams.get('port') || '5432', setting),
    database,
    user,
    password: decodePart(url.password, setting),
  };
  const tls = parseSslMode(url.searchParams.get('sslmode'), setting);
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

/** Parses with a placeholder for a missing host, which WHATWG URLs with credentials require. */
function parseUrl(text: string, setting: string): { url: URL; hasNoHost: boolean } {
  const filled = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1hostless');
  const url = URL.parse(filled);
  if (url === null) throw new Error(`${setting} isn’t a valid URL.`);
  return { url, hasNoHost: filled !== text };
}

/** `a%20b` → `a b` */
function decodePart(text: string, setting: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Error(`${setting} contains a % that must be escaped as %25.`, { cause: error });
  }
}

function parsePort(text: string, setting: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Error(`${setting} has an invalid port: ${text}.`);
  }
  return port;
}

function parseSslMode(mode: string | null, setting: string): DatabaseAddress['tls'] {
  if (mode === null || mode === 'disable') return undefined;
  if (mode === 'require' || mode === 'verify-full') return mode;
  throw new Error(`${setting} has sslmode=${mode}; use disable, require, or verify-full.`);
}

function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
