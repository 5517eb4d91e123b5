/**
 * The limits of requests, checked before a handler runs: the length of the URL, and what a body
 * may cost while it isn't processed yet, by route and by client. A client is the network of its
 * address, as its proxy tells it; requests of this instance's own processes aren't limited by
 * client. `docs/requests.md` explains the limits.
 */
import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import { rejectUpgrade, type UpgradeRequest } from '@vitrine/backend';
import { describeError, toRateLimitKey, type ErrorCode } from '@vitrine/project';
import { createConnectionLimit } from './connection-limit.ts';
import type { Hosts } from './hosts.ts';
import type { Router } from './router.ts';
import {
  maxPathLength,
  maxPathSegments,
  maxQueryLength,
  type RouteFinder,
  type RouteLimits,
} from './route-limits.ts';
import { createBaseHeaders } from './security-headers.ts';

/** Limits of all requests of a client, and of all clients. */
export interface GuardLimits {
  /** Connections of a network; behind a trusted proxy, its requests and WebSockets in progress. */
  readonly connectionsPerClient: number;
  /** Bytes of requests in memory that aren't answered yet: of a client, and of all. */
  readonly heldBytesPerClient: number;
  readonly heldBytes: number;
  /** A body that arrives slower than this ends, checked for each `speedWindowMs`. */
  readonly minBytesPerSecond: number;
  readonly speedWindowMs: number;
}

const mebibyte = 1024 * 1024;

export const defaultGuardLimits: Omit<GuardLimits, 'connectionsPerClient'> = {
  heldBytesPerClient: 64 * mebibyte,
  heldBytes: 256 * mebibyte,
  minBytesPerSecond: 1024,
  speedWindowMs: 15_000,
};

interface RequestGuardOptions {
  readonly server: Server<typeof MeteredMessage>;
  readonly router: Router;
  readonly hosts: Pick<Hosts, 'classify'>;
  readonly findRoute: RouteFinder;
  readonly limits: GuardLimits;
  /** Whether an address is a proxy's, whose connections are those of many clients. */
  isProxy(address: string): boolean;
}

/** What is in front of a router. */
export interface RequestGuard {
  handle(request: Request, from: ConnectedRequest): Promise<Response>;
  upgrade(from: UpgradeRequest): void;
}

interface ConnectedRequest {
  readonly bindings: HttpBindings | Http2Bindings;
  /** The client's address; '' for a process of this instance. */
  readonly address: string;
}

/** A request whose body is counted when it arrives, before anything buffers it. */
export class MeteredMessage extends IncomingMessage {
  meter: Meter | undefined;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.meter === undefined) return super.push(chunk, encoding);
    if (chunk === null) this.meter.end();
    else if (!this.meter.receive(chunk)) return true;
    return super.push(chunk, encoding);
  }
}

/** Counts a body. */
interface Meter {
  /** False if the chunk is to be dropped. */
  receive(chunk: Buffer): boolean;
  end(): void;
}

const statuses = {
  url_too_long: 414,
  request_too_large: 413,
  too_many_fields: 413,
  request_too_slow: 408,
  rate_limited: 429,
  server_busy: 503,
} as const satisfies Partial<Record<ErrorCode, number>>;

type RefusalCode = keyof typeof statuses;

const retryAfterSeconds = 5;
/** Time for the client to read why its body was refused. What it sends meanwhile is dropped. */
const lingerMs = 250;

/** Creates the guard in front of a router. */
export function createRequestGuard(options: RequestGuardOptions): RequestGuard & { close(): void } {
  const { router, hosts, findRoute, limits } = options;
  const connections = createConnectionLimit(options);
  const bodies = new HeldBodies(limits);
  const sweep = setInterval(() => {
    bodies.sweep();
    connections.sweep(limits.heldBytesPerClient);
  }, limits.speedWindowMs / 5);
  sweep.unref();

  function classify(host: string | undefined) {
    const found = hosts.classify(host ?? '');
    const https = found.kind !== 'unknown' && found.origin.startsWith('https:');
    return { host: found.kind === 'preview' ? 'preview' : 'app', https } as const;
  }

  return {
    async handle(request, { bindings: { incoming, outgoing }, address }) {
      if (!(incoming instanceof MeteredMessage) || !(outgoing instanceof ServerResponse))
        throw new Error('the server creates other messages');
      const client = toRateLimitKey(address);
      const { host, https } = classify(incoming.headers.host);
      const isAllowed = connections.openRequest(incoming.socket, client, outgoing);
      const { pathname } = new URL(request.url);
      const route = findRoute(host, pathname.slice(0, maxPathLength));
      const hasManySegments =
        route.format !== 'json' && pathname.split('/').length > maxPathSegments + 1;
      if (isUrlTooLong(incoming.url ?? '') || hasManySegments)
        return refuse(request, 'url_too_long', route, https);
      if (!isAllowed) return refuse(request, 'rate_limited', route, https);
      const body = openBody(incoming, route, client);
      if (body === null) return router.handle(request, { address });
      if (body.refusal) return refuse(request, body.refusal, route, https);
      outgoing.once('close', () => bodies.release(body));
      bodies.add(body);
      incoming.meter = body;
      // Aborted when the body is refused, so that whatever reads it ends.
      const signal = AbortSignal.any([request.signal, body.aborted.signal]);
      const response = router.handle(new Request(request, { signal }), { address });
      const code = await Promise.race([response, body.refused]);
      if (code instanceof Response) return code;
      // Whatever it is, nobody reads it.
      void response.then((unread) => unread.body?.cancel());
      // Closing at once could reset the connection before the client has read the refusal.
      outgoing.once('finish', () => setTimeout(() => incoming.destroy(), lingerMs));
      return refuse(request, code, route, https);
    },
    upgrade(from) {
      const { socket, request, clientIp } = from;
      if (isUrlTooLong(request.url ?? '')) return rejectUpgrade(socket, 414, 'The URL is too long');
      if (!connections.openRequest(request.socket, toRateLimitKey(clientIp), socket))
        return rejectUpgrade(socket, 429, 'Too many connections');
      router.upgrade(from);
    },
    close: () => clearInterval(sweep),
  };

  /** Null without a body. */
  function openBody(incoming: MeteredMessage, route: RouteLimits, client: string): Body | null {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    if (coding === undefined && Number(length ?? 0) === 0) return null;
    return new Body({ incoming, route, client, bodies });
  }
}

/** Looks at the text itself, since parsing a long query takes too long. */
function isUrlTooLong(url: string): boolean {
  const start = url.indexOf('?');
  const pathLength = start === -1 ? url.length : start;
  return pathLength > maxPathLength || url.length - pathLength > maxQueryLength + 1;
}

function refuse(
  request: Request,
  code: RefusalCode,
  { format, respondToLarge }: RouteLimits,
  https: boolean,
): Response {
  const status = statuses[code];
  const headers = createBaseHeaders(https);
  if (status === 413 && respondToLarge) {
    const response = respondToLarge(request, code);
    for (const [name, value] of response.headers) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  }
  if (status === 429 || status === 503) headers.set('Retry-After', String(retryAfterSeconds));
  const { message, action } = describeError(code);
  if (format === 'json') {
    headers.set('Referrer-Policy', 'no-referrer');
    // With the names of each service's own errors.
    const body = { code, error_code: code, message, msg: message, error: message };
    return Response.json({ ...body, statusCode: String(status) }, { status, headers });
  }
  const isPage = format === 'page' && request.headers.get('accept')?.includes('text/html');
  headers.set('Content-Type', `text/${isPage ? 'html' : 'plain'}; charset=utf-8`);
  const text = isPage
    ? `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message} — Vitrine</title><main><h1>${message}</h1><p>${action}</p></main></html>`
    : `${message} ${action}\n`;
  return new Response(text, { status, headers });
}

/** The bodies of requests in progress. */
class HeldBodies {
  readonly limits: GuardLimits;
  readonly #open = new Set<Body>();
  /** Bytes in memory by client. Clients without any have no entry. */
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: GuardLimits) {
    this.limits = limits;
  }

  add(body: Body): void {
    this.#open.add(body);
  }

  /** Counts bytes in memory. Beyond a limit, ends a body: this client's, or that of the largest. */
  hold(body: Body, bytes: number): void {
    const { client } = body;
    if (client === '') return;
    const held = (this.#held.get(client) ?? 0) + bytes;
    this.#held.set(client, held);
    this.#total += bytes;
    body.held += bytes;
    if (held > this.limits.heldBytesPerClient) body.refuse('rate_limited');
    if (this.#total > this.limits.heldBytes) this.#findLargest()?.refuse('server_busy');
  }

  release(body: Body): void {
    this.#open.delete(body);
    this.#total -= body.held;
    const held = (this.#held.get(body.client) ?? 0) - body.held;
    if (held > 0) this.#held.set(body.client, held);
    else this.#held.delete(body.client);
    body.held = 0;
  }

  /** The largest unfinished body of the client that holds most. */
  #findLargest(): Body | undefined {
    const unfinished = [...this.#open].filter((body) => body.isArriving && body.held > 0);
    const heldByClient = (body: Body) => this.#held.get(body.client) ?? 0;
    return unfinished.sort((a, b) => heldByClient(b) - heldByClient(a) || b.held - a.held)[0];
  }

  /** Ends bodies that arrive too slowly. */
  sweep(): void {
    const now = performance.now();
    for (const body of this.#open) if (body.isTooSlow(now)) body.refuse('request_too_slow');
  }
}

interface BodyOptions {
  readonly incoming: MeteredMessage;
  readonly route: RouteLimits;
  readonly client: string;
  readonly bodies: HeldBodies;
}

/** A body that is arriving, or whose request isn't answered yet. */
class Body implements Meter {
  readonly client: string;
  /** Aborted when the body is refused. */
  readonly aborted = new AbortController();
  /** Resolves when the body is refused. */
  readonly refused: Promise<RefusalCode>;
  refusal: RefusalCode | undefined;
  /** Bytes that count as memory of the client. */
  held = 0;
  isArriving = true;
  readonly #options: BodyOptions;
  readonly #countFields: ((chunk: Buffer) => number) | undefined;
  #received = 0;
  #fields: number;
  readonly #startedAt = performance.now();
  /** Start of the time for which the speed is measured, and what had arrived by then. */
  #window = { startedAt: this.#startedAt, received: 0 };
  #resolve: (code: RefusalCode) => void = () => undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.client = options.client;
    this.refused = new Promise((resolve) => (this.#resolve = resolve));
    const { headers } = options.incoming;
    const contentType = headers['content-type'] ?? '';
    this.#countFields = createFieldCounter(contentType);
    // A pair has a separator before it except for the first; a part has one, and the form's end.
    this.#fields = /^multipart/i.test(contentType) ? -1 : 1;
    const declared = Number(headers['content-length'] ?? 0);
    if (declared > options.route.maxBodyBytes) this.refusal = 'request_too_large';
  }

  receive(chunk: Buffer): boolean {
    if (this.refusal) return false;
    const { route, bodies } = this.#options;
    this.#received += chunk.length;
    this.#fields += this.#countFields?.(chunk) ?? 0;
    if (this.#received > route.maxBodyBytes) this.refuse('request_too_large');
    else if (this.#fields > route.maxFields) this.refuse('too_many_fields');
    else if (!route.isStreamed) bodies.hold(this, chunk.length);
    return this.refusal === undefined;
  }

  end(): void {
    this.isArriving = false;
  }

  refuse(code: RefusalCode): void {
    if (this.refusal) return;
    this.refusal = code;
    this.isArriving = false;
    this.#resolve(code);
    this.aborted.abort();
  }

  isTooSlow(now: number): boolean {
    const { incoming, route, bodies } = this.#options;
    if (!this.isArriving) return false;
    if (now - this.#startedAt > route.maxBodySeconds * 1_000) return true;
    const { minBytesPerSecond, speedWindowMs } = bodies.limits;
    const elapsedMs = now - this.#window.startedAt;
    if (elapsedMs < speedWindowMs) return false;
    const received = this.#received - this.#window.received;
    this.#window = { startedAt: now, received: this.#received };
    // What has arrived but isn't read yet is our delay, not the client's.
    return received < (elapsedMs / 1_000) * minBytesPerSecond && incoming.readableLength === 0;
  }
}

/** Creates a counter of a form's separators. Undefined for other types. */
function createFieldCounter(contentType: string): ((chunk: Buffer) => number) | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return createTextCounter('&');
  const [, quoted, plain] =
    /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ??
    [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? undefined : createTextCounter(`--${boundary}`);
}

/** Creates a counter of a text in chunks, also where the text is divided between them. */
function createTextCounter(text: string): (chunk: Buffer) => number {
  const searched = Buffer.from(text, 'latin1');
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let count = 0;
    let end = 0;
    for (let at = bytes.indexOf(searched); at !== -1; at = bytes.indexOf(searched, end)) {
      count += 1;
      end = at + searched.length;
    }
    // Copied, so that it doesn't retain the chunk.
    rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - searched.length + 1)));
    return count;
  };
}
