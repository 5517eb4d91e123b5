/*
 * Requests to hosts that a user names. The host's name is resolved here, every address that it has
 * is checked, and the connection goes to a checked address, so that a name whose addresses change in
 * between (DNS rebinding) leads nowhere else. Redirects are followed here, one by one, with the same
 * checks. TLS still verifies the certificate of the name, so even an address that was missed would
 * have to prove that it is the host.
 */
import { lookup } from 'node:dns/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import { Buffer } from 'node:buffer';
import { Refusal } from '../_shared/answer.ts';

/** How requests leave this machine. Tests replace parts of it. */
export interface Network {
  /** Returns the addresses of a host name, or the address itself. Rejects if there is none. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Whether an address belongs to the public internet. */
  isPublic(address: string): boolean;
  /** Whether a URL's scheme and port may be requested. */
  isAllowed(url: URL): boolean;
  /**
   * Server of the operator that receives all requests instead of the hosts:
   * https://github.com/a → https://mirror/base/github.com/a. It may be in a private network.
   */
  readonly mirror?: URL;
}

/** The internet, from port 443 of public addresses. */
export const publicInternet: Network = {
  async resolve(hostname) {
    if (isIP(hostname) !== 0) return [hostname];
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  },
  isPublic: isPublicAddress,
  isAllowed: (url) => url.protocol === 'https:' && url.port === '',
};

export interface PublicFetchOptions {
  readonly network: Network;
  /** Ends the request, and the response's body. Its reason is thrown. */
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response whose body hasn't been read. Read it with `readBody`, or destroy `message`. */
export interface PublicResponse {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly message: IncomingMessage;
}

const maxRedirects = 5;
/** The slowest that a host may send, besides the time without a byte. */
const minBytesPerSecond = 16 * 1024;
/** Addresses of a host that are tried. */
const maxAddresses = 3;

/**
 * Requests a URL with GET and follows redirects. Throws a `Refusal`: `link_invalid` for URLs with
 * credentials, `link_refused` for other schemes, ports and addresses, `link_unreachable`.
 */
export async function fetchPublic(
  start: URL,
  options: PublicFetchOptions,
): Promise<PublicResponse> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const message = await send(url, options);
    const status = message.statusCode ?? 0;
    const { location } = message.headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
      return { url, status, message };
    message.destroy();
    if (!URL.canParse(location, url)) throw new Refusal(502, 'link_unreachable');
    url = new URL(location, url);
  }
  throw new Refusal(502, 'link_unreachable');
}

/**
 * Yields the body of a response. Throws a `Refusal`: `import_too_large` beyond `maxBytes`,
 * `import_too_slow`, or `import_damaged` if the connection ends early.
 *
 * @param limits Milliseconds without a byte after which the body is given up, and milliseconds of
 *   waiting for the host after which its speed is checked.
 */
export async function* readBody(
  { message }: PublicResponse,
  maxBytes: number,
  { idleTimeoutMs = 15_000, windowMs = 10_000 } = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = message[Symbol.asyncIterator]();
  let bytes = 0;
  /** What arrived, and the time it took, since the last check of the speed. */
  const recent = { bytes: 0, ms: 0 };
  try {
    if (Number(message.headers['content-length'] ?? 0) > maxBytes)
      throw new Refusal(422, 'import_too_large');
    for (;;) {
      const timer = setTimeout(
        () => message.destroy(new Refusal(504, 'import_too_slow')),
        idleTimeoutMs,
      );
      const startedAt = Date.now();
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done) return;
      bytes += value.byteLength;
      if (bytes > maxBytes) throw new Refusal(422, 'import_too_large');
      recent.bytes += value.byteLength;
      recent.ms += Date.now() - startedAt;
      if (recent.ms >= windowMs) {
        if (recent.bytes < (recent.ms / 1_000) * minBytesPerSecond)
          throw new Refusal(504, 'import_too_slow');
        recent.bytes = 0;
        recent.ms = 0;
      }
      yield value;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(502, 'import_damaged');
  } finally {
    message.destroy();
  }
}

/** Reads a body that isn't large. Throws like `readBody`. */
export async function readAll(response: PublicResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBody(response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function send(url: URL, options: PublicFetchOptions): Promise<IncomingMessage> {
  const { network, signal } = options;
  if (url.username !== '' || url.password !== '') throw new Refusal(422, 'link_invalid');
  if (!network.isAllowed(url)) throw new Refusal(422, 'link_refused');
  const { target, addresses } = await findAddresses(url, network, signal);
  let failure: unknown;
  for (const address of addresses.slice(0, maxAddresses)) {
    try {
      return await connect(target, address, options);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      failure = error;
    }
  }
  console.error(`${url.host}: ${failure instanceof Error ? failure.message : String(failure)}`);
  throw new Refusal(502, 'link_unreachable');
}

/** Finds where to connect to for a URL. Throws `link_refused` if any address is private. */
async function findAddresses(url: URL, network: Network, signal: AbortSignal) {
  const { mirror } = network;
  if (mirror) {
    const target = findInMirror(url, mirror, network);
    return { target, addresses: await resolve(target, network, signal) };
  }
  const addresses = await resolve(url, network, signal);
  if (!addresses.every((address) => network.isPublic(address)))
    throw new Refusal(422, 'link_refused');
  // Many servers have no route to IPv6.
  return { target: url, addresses: addresses.toSorted((a, b) => isIP(a) - isIP(b)) };
}

/**
 * The address in the mirror that stands for a URL. Throws `link_refused` for private addresses, names
 * that aren't of the internet, and what could lead out of the host's folder.
 */
function findInMirror(url: URL, mirror: URL, network: Network): URL {
  const host = bareHost(url);
  const isRefused = isIP(host) === 0 ? !isInternetName(host) : !network.isPublic(host);
  if (isRefused || !url.pathname.split('/').every(staysInFolder))
    throw new Refusal(422, 'link_refused');
  return new URL(`${mirror.href.replace(/\/$/, '')}/${url.host}${url.pathname}${url.search}`);
}

/** Last labels of names in private networks (RFC 6761, RFC 6762 appendix G, RFC 8375). */
const privateNames =
  /\.(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** Whether a name could be one of the internet: at least two labels, none of them empty, as in "..". */
function isInternetName(name: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)+\.?$/.test(name) && !privateNames.test(name.replace(/\.$/, ''));
}

/** Whether a segment of a path stays one after a server has decoded it: "..%2F.." and "%5C" don't. */
function staysInFolder(segment: string): boolean {
  try {
    return !/^\.{1,2}$|[/\\\0]/.test(decodeURIComponent(segment));
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

async function resolve(url: URL, network: Network, signal: AbortSignal) {
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
  try {
    const addresses = await Promise.race([network.resolve(bareHost(url)), aborted]);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (signal.aborted) throw error;
  }
  throw new Refusal(502, 'link_unreachable');
}

/** Connects to `address`, but asks for the URL's host, whose certificate TLS verifies. */
function connect(url: URL, address: string, { signal, headers }: PublicFetchOptions) {
  const host = bareHost(url);
  const isTls = url.protocol === 'https:';
  return new Promise<IncomingMessage>((done, fail) => {
    const request = (isTls ? requestHttps : requestHttp)({
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      // Names only: SNI has no addresses (RFC 6066, section 3).
      ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        'user-agent': 'Vitrine',
      },
      agent: false,
    });
    const abort = () => request.destroy(toError(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    request.once('response', (message) => {
      // Destroys the body, too, with the signal's reason.
      signal.addEventListener('abort', () => message.destroy(toError(signal.reason)), {
        once: true,
      });
      done(message);
    });
    request.once('error', fail);
    request.once('close', () => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    request.end();
  });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** "[::1]" → "::1" */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Whether an IP address belongs to the public internet (IANA special-purpose registries). */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  // IPv4 in IPv6 in all its forms (mapped, translated, local NAT64) is outside of global unicast.
  return family === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

const special = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Metadata services of most clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
  // Azure's platform services, which only its machines reach.
  ['168.63.129.16', 32],
] as const)
  special.addSubnet(net, prefix, 'ipv4');
// Teredo and others, documentation, 6to4.
special.addSubnet('2001::', 23, 'ipv6');
special.addSubnet('2001:db8::', 32, 'ipv6');
special.addSubnet('2002::', 16, 'ipv6');
special.addSubnet('3fff::', 20, 'ipv6');
