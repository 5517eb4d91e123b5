import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { StartupError } from '@vitrine/backend';
import { getDomain } from 'tldts';
import { isAddressOrSubnet } from './client-address.ts';

/** The parsed environment variables. `docs/operations.md` lists them. */
export interface Settings {
  readonly port: number;
  /** Address to listen on. */
  readonly listen: string;
  /** Whether other processes of this instance listen on the same port. */
  readonly sharesPort: boolean;
  /** The origin that users open, used for cookies, links and redirects. */
  readonly publicOrigin: string;
  /** Host (with port) of the second site for previews, or null. */
  readonly previewHost: string | null;
  readonly dataDir: string;
  /** An external PostgreSQL instead of the embedded one. */
  readonly databaseUrl: string | null;
  /** A hosted Supabase backend instead of the embedded one. */
  readonly hosted: { readonly url: string; readonly publishableKey: string } | null;
  /** URL of another Vitrine process with the backend, instead of the embedded one. */
  readonly backendUrl: string | null;
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** Whether users must open an emailed link before they can sign in. */
  readonly confirmEmail: boolean;
  /** Whether the link of an invitation by email proves it, without a verified address. */
  readonly invitationLinkVerifies: boolean;
  /** File with the section `[auth]`, instead of `supabase/config.toml`. */
  readonly authConfig: string | null;
  /** Hosts that packages may be downloaded from, besides the registries. */
  readonly tarballHosts: readonly string[];
  /** Addresses of reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Variables of the function that imports links: who may import, and through which server. */
  readonly imports: { readonly IMPORT_LINKS: string; readonly IMPORT_MIRROR?: string };
  /** Connections of one address; behind a trusted proxy, requests and WebSockets in progress. */
  readonly connectionsPerAddress: number;
  /** Loopback port of the metrics, or null. */
  readonly metricsPort: number | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the settings. Throws a `StartupError` that names the invalid variable. */
export function parseSettings(env: Environment): Settings {
  const port = parsePort('PORT', env['PORT'] ?? '4000');
  const listen = env['LISTEN'] ?? '127.0.0.1';
  const loopback = isLoopback(listen);
  const publicOrigin = parseOrigin(env['PUBLIC_ORIGIN'], port, loopback);
  const previewHost = parsePreviewHost(env['PREVIEW_HOST'], publicOrigin, port, loopback);
  const smtpUrl = env['SMTP_URL'];
  return {
    port,
    listen,
    sharesPort: parseSwitch('SHARE_PORT', env['SHARE_PORT']) ?? false,
    publicOrigin,
    previewHost,
    dataDir: resolve(env['DATA_DIR'] ?? 'data'),
    databaseUrl: env['DATABASE_URL'] ?? null,
    hosted: parseHosted(env),
    backendUrl: parseBackendUrl(env),
    mail: smtpUrl
      ? {
          smtpUrl,
          from: env['MAIL_FROM'] ?? `Vitrine <no-reply@${new URL(publicOrigin).hostname}>`,
        }
      : null,
    authConfig: env['AUTH_CONFIG'] ? resolve(env['AUTH_CONFIG']) : null,
    tarballHosts: parseHosts('TARBALL_HOSTS', env['TARBALL_HOSTS'] ?? ''),
    trustedProxies: parseProxies(env['TRUSTED_PROXIES'] ?? ''),
    imports: parseImports(env),
    connectionsPerAddress: parseCount('CONNECTIONS_PER_ADDRESS', env, 2_000),
    metricsPort: env['METRICS_PORT'] ? parsePort('METRICS_PORT', env['METRICS_PORT']) : null,
    invitationLinkVerifies:
      parseSwitch('INVITATION_LINK_VERIFIES', env['INVITATION_LINK_VERIFIES']) ?? false,
    confirmEmail: parseSwitch('CONFIRM_EMAIL', env['CONFIRM_EMAIL']) ?? smtpUrl !== undefined,
  };
}

function parsePort(name: string, value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new StartupError(`${name} must be a number from 0 to 65535, not “${value}”.`);
  }
  return port;
}

function parseCount(name: string, env: Environment, usual: number): number {
  const value = env[name] || String(usual);
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  throw new StartupError(`${name} must be a number above 0, not “${value}”.`);
}

function parseSwitch(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new StartupError(`${name} must be true or false, not “${value}”.`);
}

function parseHosts(name: string, value: string): string[] {
  const hosts = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((host) => host !== '');
  for (const host of hosts) {
    if (!/^[a-z0-9.-]+(:\d+)?$/.test(host))
      throw new StartupError(`${name} must list host names, not “${host}”.`);
  }
  return hosts;
}

function parseImports(env: Environment): Settings['imports'] {
  const allowed = env['IMPORT_LINKS'] || 'all';
  if (!['all', 'users', 'off'].includes(allowed))
    throw new StartupError(`IMPORT_LINKS must be all, users, or off, not “${allowed}”.`);
  const mirror = env['IMPORT_MIRROR'];
  if (!mirror) return { IMPORT_LINKS: allowed };
  if (!/^https?:\/\/[^?#]+$/.test(mirror) || !URL.canParse(mirror))
    throw new StartupError(`IMPORT_MIRROR must be an http or https URL, not “${mirror}”.`);
  return { IMPORT_LINKS: allowed, IMPORT_MIRROR: mirror };
}

function parseProxies(value: string): string[] {
  const proxies = value.split(/[\s,]+/).filter((proxy) => proxy !== '');
  const invalid = proxies.find((proxy) => !isAddressOrSubnet(proxy));
  if (invalid === undefined) return proxies;
  throw new StartupError(
    `TRUSTED_PROXIES must list addresses such as 10.0.0.2 or 10.0.0.0/8, not “${invalid}”.`,
  );
}

/** Whether a host name or address always refers to this machine. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(host)
  );
}

function parseOrigin(value: string | undefined, port: number, loopback: boolean): string {
  if (value === undefined) {
    if (!loopback) {
      throw new StartupError(
        'LISTEN makes this instance reachable from other machines, so set PUBLIC_ORIGIN to its public URL, such as https://play.example.com.',
      );
    }
    return `http://vitrine.localhost:${port}`;
  }
  if (!URL.canParse(value)) throw new StartupError(`PUBLIC_ORIGIN isn’t a valid URL: “${value}”.`);
  const url = new URL(value);
  if (
    !['http:', 'https:'].includes(url.protocol) ||
    url.pathname !== '/' ||
    url.search ||
    url.username
  ) {
    throw new StartupError(`PUBLIC_ORIGIN must be only a scheme, host, and port, not “${value}”.`);
  }
  return url.origin;
}

function parsePreviewHost(
  value: string | undefined,
  publicOrigin: string,
  port: number,
  loopback: boolean,
): string | null {
  if (value === 'none') return null;
  if (value === undefined && !loopback) {
    throw new StartupError(
      'LISTEN makes this instance reachable from other machines, so set PREVIEW_HOST to a second domain for previews, or to “none” to run previews without their own storage.',
    );
  }
  const host = (value ?? `vitrine-preview.localhost:${port}`).toLowerCase();
  if (!/^[a-z0-9.-]+(:\d+)?$/.test(host))
    throw new StartupError(`PREVIEW_HOST isn’t a host name: “${host}”.`);
  assertIsolatedHosts(new URL(publicOrigin).host, host);
  return host;
}

/**
 * Throws for hosts that would expose the session to previews: another port of the app's host
 * (cookies ignore ports, RFC 6265 section 8.5) or another host on the app's own site.
 */
export function assertIsolatedHosts(appHost: string, previewHost: string): void {
  const [app, preview] = [hostname(appHost), hostname(previewHost)];
  if (isIP(preview) || app === preview || site(app) === site(preview)) {
    throw new StartupError(
      `Previews at ${previewHost} could read or replace the session cookies of ${appHost}. Set PREVIEW_HOST to a different registered domain.`,
    );
  }
}

function hostname(host: string): string {
  return new URL(`http://${host}`).hostname;
}

/** The registrable domain. Under `localhost`, browsers treat the first label as the site. */
function site(name: string): string {
  const match = /(?:^|\.)([^.]+\.localhost)$/.exec(name);
  return match?.[1] ?? getDomain(name, { allowPrivateDomains: true }) ?? name;
}

function parseHosted(env: Environment): Settings['hosted'] {
  const url = env['SUPABASE_URL'];
  const publishableKey = env['SUPABASE_PUBLISHABLE_KEY'];
  if (!url && !publishableKey) return null;
  if (!url || !publishableKey) {
    throw new StartupError(
      'A hosted backend needs both SUPABASE_URL and SUPABASE_PUBLISHABLE_KEY.',
    );
  }
  if (!URL.canParse(url)) throw new StartupError(`SUPABASE_URL isn’t a valid URL: “${url}”.`);
  return { url: new URL(url).origin, publishableKey };
}

function parseBackendUrl(env: Environment): string | null {
  const value = env['BACKEND_URL'];
  if (!value) return null;
  if (env['SUPABASE_URL'] || env['DATABASE_URL']) {
    throw new StartupError(
      'BACKEND_URL means the backend runs in another process. Set SUPABASE_URL and DATABASE_URL on that process, not here.',
    );
  }
  if (!/^http:\/\/[^/]+\/?$/.test(value) || !URL.canParse(value)) {
    throw new StartupError(
      `BACKEND_URL must be an http:// URL with only a host and port on a private network, not “${value}”.`,
    );
  }
  return new URL(value).origin;
}
