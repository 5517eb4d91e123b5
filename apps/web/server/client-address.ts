import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { timingSafeEqualText } from '@vitrine/backend';

/** The parts of a request or upgrade that tell where it comes from. */
interface ConnectionInfo {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** Returns the client's IP address; '' for a request by another process of this instance itself. */
export type ClientAddressReader = (source: ConnectionInfo) => string;

export interface ClientAddressReaderOptions {
  readonly trustedProxies: readonly string[];
  readonly publicOrigin: string;
  /** Secret that authenticates the processes of this instance to each other (`BACKEND_URL`). */
  readonly processToken: string;
  /** Called with a configuration warning for the operator, once for each kind. */
  warn(message: string): void;
}

/** Header with the process token, sent by a process that forwards a request. */
export const processHeader = 'x-vitrine-process';

/**
 * Creates a function that determines a request's client address: the connection's address or, if
 * that is one of `trustedProxies`, the address in X-Forwarded-For. The header is read from its end,
 * where the nearest proxy appends; anything before the first untrusted address may be forged.
 * Loopback connections aren't trusted either: a local proxy that adds no header forwards forged
 * ones.
 */
export function createClientAddressReader(
  options: ClientAddressReaderOptions,
): ClientAddressReader {
  const { trustedProxies, processToken, warn } = options;
  const isTrusted = createProxyMatcher(trustedProxies);
  const warned = new Set<string>();

  function warnOnce(source: ConnectionInfo, peer: string): void {
    const warning = findWarning(source, { peer, isTrusted: isTrusted(peer), options });
    if (!warning || warned.has(warning.kind)) return;
    warned.add(warning.kind);
    warn(warning.message);
  }

  return (source) => {
    const { headers, socket } = source;
    const forwarded = headers['x-forwarded-for']?.toString().split(',') ?? [];
    const token = headers[processHeader];
    if (typeof token === 'string' && timingSafeEqualText(token, processToken)) {
      const client = normalizeAddress(forwarded.pop() ?? '');
      return isIP(client) === 0 ? '' : client;
    }
    const peer = normalizeAddress(socket.remoteAddress ?? 'unknown');
    warnOnce(source, peer);
    let address = peer;
    while (isTrusted(address)) {
      const previous = normalizeAddress(forwarded.pop() ?? '');
      if (isIP(previous) === 0) break;
      address = previous;
    }
    return address;
  };
}

const forwardingHeaders = ['x-forwarded-for', 'x-real-ip', 'forwarded'];

interface Peer {
  readonly peer: string;
  readonly isTrusted: boolean;
  readonly options: ClientAddressReaderOptions;
}

/** Returns a warning if clients behind a proxy appear to share one address. */
function findWarning(
  { headers }: ConnectionInfo,
  { peer, isTrusted, options: { publicOrigin, trustedProxies } }: Peer,
): { kind: string; message: string } | undefined {
  const { host, protocol } = new URL(publicOrigin);
  const effect = 'All visitors behind it share a single rate limit.';
  const isPublic = headers.host?.toLowerCase() === host;
  if (isTrusted) {
    if (!isPublic || headers['x-forwarded-for'] !== undefined) return undefined;
    const message = `The proxy at ${peer} doesn’t send X-Forwarded-For. ${effect} Configure it to send the header (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;).`;
    return { kind: 'header', message };
  }
  const fix = `If the proxy is yours, set TRUSTED_PROXIES=${[...trustedProxies, peer].join(',')} and restart.`;
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) {
    const message = `Requests come through a proxy at ${peer} that isn’t in TRUSTED_PROXIES. ${effect} ${fix}`;
    return { kind: 'proxy', message };
  }
  if (protocol !== 'https:' || !isPublic) return undefined;
  const message = `PUBLIC_ORIGIN uses https, so requests come through a proxy (at ${peer}), but ${peer} isn’t in TRUSTED_PROXIES. ${effect} ${fix}`;
  return { kind: 'proxy', message };
}

/** Whether the text is an IPv4 or IPv6 address or subnet: `10.0.0.1`, `10.0.0.0/8`. */
export function isAddressOrSubnet(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Creates a function that tells whether an address is one of these proxies' or in their subnets. */
export function createProxyMatcher(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) addTo(list, proxy);
  return (address) => isListed(list, address);
}

function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** `::ffff:10.0.0.1`, as dual-stack sockets report it → `10.0.0.1`. */
export function normalizeAddress(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}
