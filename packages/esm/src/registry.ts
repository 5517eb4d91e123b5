// oxlint-disable-next-line typescript/triple-slash-reference -- whoever compiles this module needs them
/// <reference path="./npm-modules.d.ts" />
import { VitrineError } from '@vitrine/project';
import makeFetch from 'make-fetch-happen';
import { getAuth } from 'npm-registry-fetch';
import type { PackageLog } from './log.ts';
import { createRegistryHosts, publicOnlyAgent } from './registry-hosts.ts';
import { publicRegistry, registryOf, type RegistrySettings } from './registry-settings.ts';

/** The registry as npm is configured to reach it. Every request to the outside is made here. */
export interface Registry {
  /**
   * The registry's document of a package, or `unchanged` when it still has this etag.
   * Throws `package_not_found`, `registry_refused`, `registry_unreachable`.
   */
  fetchPackument(name: string, etag?: string): Promise<FetchedPackument | 'unchanged'>;
  /**
   * A tarball from where the packument says it is; throws `package_source_refused` as well. The
   * signal ends it with its reason, which is no failure of the registry.
   */
  fetchTarball(
    name: string,
    address: string,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** The answer of the registry's own search as JSON; undefined where it offers none. */
  search(text: string, size: number): Promise<unknown>;
}

export interface FetchedPackument {
  readonly body: Buffer;
  readonly etag: string | undefined;
}

export interface RegistryLimits {
  /** For a document or a search, and for a connection that says nothing. */
  readonly requestMs: number;
  readonly tarballMs: number;
}

const defaultLimits: RegistryLimits = { requestMs: 20_000, tarballMs: 120_000 };
/** Some packages have thousands of versions; more than this is no document of a package. */
const packumentMaxBytes = 96 * 1024 * 1024;
const searchMaxBytes = 4 * 1024 * 1024;
const redirectsMax = 3;
/** How long a registry that did not answer is left alone. */
const restMs = 15_000;
/** Answers of a registry that wants to be left alone, or of a proxy that cannot reach it. */
const overloaded = new Set([429, 502, 503, 504]);

const packumentTypes = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

export function createRegistry(
  settings: RegistrySettings,
  log: PackageLog,
  { requestMs, tarballMs }: RegistryLimits = defaultLimits,
): Registry {
  const hosts = createRegistryHosts(settings);
  /** Origin → when it may be asked again. Left when it has answered. */
  const resting = new Map<string, number>();
  /** Origins that answered, and have not failed since: connections to them are kept. */
  const answering = new Set<string>();

  const ask = async <T>(
    address: URL,
    headers: Record<string, string>,
    timeoutMs: number,
    read: (answer: Answer) => T | Promise<T>,
    cancelled?: AbortSignal,
  ): Promise<T> => {
    if ((resting.get(address.origin) ?? 0) > Date.now()) {
      throw new VitrineError('registry_unreachable');
    }
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = cancelled ? AbortSignal.any([timeout, cancelled]) : timeout;
      const answer = await follow(address, headers, signal);
      if (overloaded.has(answer.status)) throw new Error(`HTTP ${answer.status}`);
      const result = await read(answer);
      resting.delete(address.origin);
      answering.add(address.origin);
      return result;
    } catch (error) {
      cancelled?.throwIfAborted();
      if (error instanceof VitrineError) throw error;
      resting.set(address.origin, Date.now() + restMs);
      answering.delete(address.origin);
      log.warn('The package registry does not answer.', {
        host: address.host,
        reason: codeOf(error),
      });
      throw new VitrineError('registry_unreachable', undefined, { cause: error });
    }
  };

  /** Redirects are looked at one by one: each has to stay on the hosts that may be asked. */
  const follow = async (start: URL, headers: Record<string, string>, signal: AbortSignal) => {
    let address = start;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const answer = await requestOnKept(address, headers, signal);
      const location = answer.headers.get('location');
      if (
        answer.status < 300 ||
        answer.status >= 400 ||
        answer.status === 304 ||
        location === null
      ) {
        return answer;
      }
      answer.body.resume();
      if (!URL.canParse(location, address.href)) break;
      address = new URL(location, address);
    }
    throw new VitrineError('package_source_refused', 'too many redirects');
  };

  /** A kept connection may be closed by the other end just as it is used: then once more, on another. */
  const requestOnKept = async (...asked: Parameters<typeof request>) => {
    try {
      return await request(...asked);
    } catch (error) {
      if (codeOf(error) !== 'ECONNRESET' || !answering.has(asked[0].origin)) throw error;
      return request(...asked);
    }
  };

  const request = async (address: URL, headers: Record<string, string>, signal: AbortSignal) => {
    const place = hosts.classify(address);
    if (place === undefined) {
      log.warn('The registry led to a host that is not listed.', { host: address.host });
      throw new VitrineError('package_source_refused', address.host);
    }
    const auth = place === 'registry' ? getAuth(address.href, { ...settings.npm }) : undefined;
    const { ca, cert, key, proxy, httpsProxy, noProxy, strictSSL, localAddress } = settings.npm;
    return makeFetch(address.href, {
      redirect: 'manual',
      retry: false,
      cache: 'no-store',
      ca,
      cert: auth?.cert ?? cert,
      key: auth?.key ?? key,
      proxy: httpsProxy ?? proxy,
      noProxy,
      strictSSL,
      localAddress,
      timeout: requestMs,
      signal,
      headers: { ...headers, 'user-agent': 'vitrine', ...signIn(auth) },
      ...(place === 'public' && { agent: publicOnlyAgent(address.protocol) }),
    });
  };

  return {
    fetchPackument(name, etag) {
      const address = new URL(name.replace('/', '%2f'), registryOf(settings, name));
      const headers = { accept: packumentTypes, ...(etag && { 'if-none-match': etag }) };
      return ask(address, headers, requestMs, async (answer) => {
        if (answer.status === 304) return 'unchanged';
        checkStatus(answer, name);
        const body = await readBody(answer, packumentMaxBytes);
        return { body, etag: answer.headers.get('etag') ?? undefined };
      });
    },
    async fetchTarball(name, text, signal) {
      const address = tarballAddress(settings, name, text);
      const read = (answer: Answer) => {
        checkStatus(answer, name);
        return readTarball(answer, signal);
      };
      return ask(address, {}, tarballMs, read, signal);
    },
    search(text, size) {
      const address = new URL('-/v1/search', registryOf(settings, ''));
      address.search = new URLSearchParams({ text, size: String(size) }).toString();
      return ask(address, { accept: 'application/json' }, requestMs, async (answer) => {
        if (answer.status === 200) return parseJson(await readBody(answer, searchMaxBytes));
        answer.body.resume();
        return undefined;
      });
    },
  };
}

type Answer = Awaited<ReturnType<typeof makeFetch>>;

function signIn(auth: ReturnType<typeof getAuth> | undefined): Record<string, string> {
  if (auth?.token) return { authorization: `Bearer ${auth.token}` };
  return auth?.auth ? { authorization: `Basic ${auth.auth}` } : {};
}

/**
 * As npm does: documents name the public registry's host even where another one serves them
 * (`replace-registry-host`).
 */
function tarballAddress(settings: RegistrySettings, name: string, text: string): URL {
  const registry = registryOf(settings, name);
  if (!URL.canParse(text)) throw new VitrineError('package_source_refused', name);
  const address = new URL(text);
  const wanted = settings.npm['replaceRegistryHost'] ?? 'npmjs';
  const replaced = wanted === 'npmjs' ? publicRegistry.host : wanted;
  const isReplaced = replaced === 'always' || replaced === address.host;
  return isReplaced ? new URL(address.pathname.slice(1) + address.search, registry) : address;
}

function checkStatus(answer: Answer, name: string): void {
  if (answer.status === 200) return;
  answer.body.resume();
  if (answer.status === 404 || answer.status === 410) {
    throw new VitrineError('package_not_found', name);
  }
  if (answer.status === 401 || answer.status === 403) {
    throw new VitrineError('registry_refused', `${name}: HTTP ${answer.status}`);
  }
  throw new VitrineError('registry_unreachable', `${name}: HTTP ${answer.status}`);
}

/** A connection that ends before the tarball does is the registry's failure, not the package's. */
async function* readTarball(answer: Answer, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* answer.body;
  } catch (error) {
    signal?.throwIfAborted();
    throw new VitrineError('registry_unreachable', 'It stopped in the middle.', { cause: error });
  }
}

async function readBody(answer: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    const bytes = Buffer.from(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) throw new VitrineError('package_damaged', 'its document is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Never the message: it can quote the address with what was put into it. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error ? String(error.code) : error.name;
}
