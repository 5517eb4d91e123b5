import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isSameText } from '@vitrine/backend';

/** A request or an upgrade, as far as it says where it comes from. */
export interface Arrival {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** The address that limits count by; '' for a process of this instance that asks for itself. */
export type ReadAddress = (arrival: Arrival) => string;

export interface AddressReaderOptions {
  readonly trustedProxies: readonly string[];
  readonly publicOrigin: string;
  /** The secret by which processes of this instance know each other (`BACKEND_URL`). */
  readonly processToken: string;
  /** Called with a sentence for the operator, once for each sentence there is. */
  advise(sentence: string): void;
}

/** Header with the secret of a process that hands on a request, beside its X-Forwarded-For. */
export const processHeader = 'x-vitrine-process';

/**
 * Reads the address a request comes from: that of the connection or, when that is one of
 * `trustedProxies`, what they say in X-Forwarded-For. The header is read from its end, where the
 * nearest proxy wrote; what stands before the first that is no proxy of ours may be anybody's claim.
 * A loopback connection is no exception: a proxy that adds no header passes on what strangers claim.
 */
export function createAddressReader(options: AddressReaderOptions): ReadAddress {
  const { trustedProxies, processToken, advise } = options;
  const trusted = new BlockList();
  for (const proxy of trustedProxies) addTo(trusted, proxy);
  const advised = new Set<string>();

  function adviseOnce(arrival: Arrival, peer: string): void {
    const advice = findAdvice(arrival, { peer, isTrusted: isAmong(trusted, peer), options });
    if (!advice || advised.has(advice.about)) return;
    advised.add(advice.about);
    advise(advice.sentence);
  }

  return (arrival) => {
    const { headers, socket } = arrival;
    const claimed = headers['x-forwarded-for']?.toString().split(',') ?? [];
    const token = headers[processHeader];
    if (typeof token === 'string' && isSameText(token, processToken)) {
      const client = plain(claimed.pop() ?? '');
      return isIP(client) === 0 ? '' : client;
    }
    const peer = plain(socket.remoteAddress ?? 'unknown');
    adviseOnce(arrival, peer);
    let address = peer;
    while (isAmong(trusted, address)) {
      const before = plain(claimed.pop() ?? '');
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
}

const forwardingHeaders = ['x-forwarded-for', 'x-real-ip', 'forwarded'];

interface Peer {
  readonly peer: string;
  readonly isTrusted: boolean;
  readonly options: AddressReaderOptions;
}

/** What the operator should set when visitors seem to share one address. */
function findAdvice(
  { headers }: Arrival,
  { peer, isTrusted, options: { publicOrigin, trustedProxies } }: Peer,
): { about: string; sentence: string } | undefined {
  const { host, protocol } = new URL(publicOrigin);
  const effect = 'All visitors behind it share the rate limits of one address.';
  const isPublic = headers.host?.toLowerCase() === host;
  if (isTrusted) {
    if (!isPublic || headers['x-forwarded-for'] !== undefined) return undefined;
    const sentence = `The proxy at ${peer} sends no X-Forwarded-For. ${effect} Configure it to send the header (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;).`;
    return { about: 'header', sentence };
  }
  const remedy = `If the proxy is yours, set TRUSTED_PROXIES=${[...trustedProxies, peer].join(',')} and restart.`;
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) {
    const sentence = `Requests arrive through a proxy at ${peer} that isn’t in TRUSTED_PROXIES. ${effect} ${remedy}`;
    return { about: 'proxy', sentence };
  }
  if (protocol !== 'https:' || !isPublic) return undefined;
  const sentence = `PUBLIC_ORIGIN is https, so requests arrive through a proxy, at ${peer}, but it isn’t in TRUSTED_PROXIES. ${effect} ${remedy}`;
  return { about: 'proxy', sentence };
}

/** Whether it is `10.0.0.1`, `10.0.0.0/8` or the like in either family. */
export function isProxy(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * Whom a limit counts together: an IPv4 address, or the 64 bits of an IPv6 address that a connection
 * is given, within which everyone has as many addresses as they like.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [start = '', end] = address.replace(/%.*$/, '').split('::');
  const head = start === '' ? [] : start.split(':');
  const tail = end === undefined || end === '' ? [] : end.split(':');
  const zeros = end === undefined ? 0 : 8 - head.length - tail.length - (end.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

function isAmong(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** `::ffff:10.0.0.1`, as sockets of both families have it → `10.0.0.1`. */
function plain(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}
