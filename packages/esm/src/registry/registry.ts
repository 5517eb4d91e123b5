// oxlint-disable-next-line typescript/triple-slash-reference -- every program that compiles this module needs them
/// <reference path="../npm-modules.d.ts" />
import { VitrineError } from '@vitrine/project';
import makeFetch from 'make-fetch-happen';
import { getAuth } from 'npm-registry-fetch';
import type { PackageLog } from '../log.ts';
import { createRegistryHosts, createPublicOnlyAgent } from './registry-hosts.ts';
import { publicRegistryUrl, getRegistryUrl, type RegistrySettings } from './registry-settings.ts';

/** Client of the npm registry, with npm's configuration. All outgoing requests are made here. */
export interface Registry {
  /**
   * Fetches a packument, or returns `unchanged` when it still has this etag.
   *
   * @throws VitrineError `package_not_found`, `registry_refused`, `registry_unreachable`.
   */
  fetchPackument(name: string, etag?: string): Promise<FetchedPackument | 'unchanged'>;
  /**
   * Fetches a tarball from the URL in the packument.
   *
   * @param signal Aborts the download, which then throws the signal's reason and doesn't count as a
   * failure of the registry.
   * @throws What `fetchPackument` throws, and `package_source_refused`.
   */
  fetchTarball(name: string, url: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Response of the registry's search as JSON; undefined when it has no search. */
  search(text: string, size: number): Promise<unknown>;
}

interface FetchedPackument {
  readonly body: Buffer;
  readonly etag: string | undefined;
}

/** Timeouts for requests to the registry. */
interface RegistryLimits {
  /** Timeout for a packument, a search, and an idle connection. */
  readonly requestMs: number;
  readonly tarballMs: number;
}

const defaultLimits: RegistryLimits = { requestMs: 20_000, tarballMs: 120_000 };
/** Size limit of a packument. Some packages have thousands of versions. */
const packumentMaxBytes = 96 * 1024 * 1024;
const searchMaxBytes = 4 * 1024 * 1024;
const redirectsMax = 3;
/** Time without requests to a registry that didn't respond. */
const retryDelayMs = 15_000;
/** Status codes of an overloaded registry, or of a proxy that can't reach it. */
const overloadedStatuses = new Set([429, 502, 503, 504]);

const packumentTypes = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';

export function createRegistry(
  settings: RegistrySettings,
  log: PackageLog,
  limits: RegistryLimits = defaultLimits,
): Registry {
  const { requestMs, tarballMs } = limits;
  const send = createRegistryClient(settings, log, limits);
  return {
    fetchPackument(name, etag) {
      const url = new URL(name.replace('/', '%2f'), getRegistryUrl(settings, name));
      const headers = { accept: packumentTypes, ...(etag && { 'if-none-match': etag }) };
      return send(url, headers, requestMs, async (response) => {
        if (response.status === 304) return 'unchanged';
        checkStatus(response, name);
        const body = await readBody(response, packumentMaxBytes);
        return { body, etag: response.headers.get('etag') ?? undefined };
      });
    },
    async fetchTarball(name, text, signal) {
      const url = getTarballUrl(settings, name, text);
      const read = (response: RegistryResponse) => {
        checkStatus(response, name);
        return readTarball(response, signal);
      };
      return send(url, {}, tarballMs, read, signal);
    },
    search(text, size) {
      const url = new URL('-/v1/search', getRegistryUrl(settings, ''));
      url.search = new URLSearchParams({ text, size: String(size) }).toString();
      return send(url, { accept: 'application/json' }, requestMs, async (response) => {
        if (response.status === 200) return parseJson(await readBody(response, searchMaxBytes));
        response.body.resume();
        return undefined;
      });
    },
  };
}

/**
 * Creates the function that sends all requests. It rejects with `registry_unreachable` without a
 * request while the host isn't responding, and follows redirects only to allowed hosts.
 */
function createRegistryClient(
  settings: RegistrySettings,
  log: PackageLog,
  { requestMs }: RegistryLimits,
) {
  const hosts = createRegistryHosts(settings);
  /** Origin → time of the next allowed request. Removed when the origin responds. */
  const retryAfter = new Map<string, number>();
  /** Origins that responded and have not failed since: their connections are reused. */
  const responsive = new Set<string>();

  const send = async <T>(
    url: URL,
    headers: Record<string, string>,
    timeoutMs: number,
    read: (response: RegistryResponse) => T | Promise<T>,
    canceled?: AbortSignal,
  ): Promise<T> => {
    if ((retryAfter.get(url.origin) ?? 0) > Date.now()) {
      throw new VitrineError('registry_unreachable');
    }
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = canceled ? AbortSignal.any([timeout, canceled]) : timeout;
      const response = await follow(url, headers, signal);
      if (overloadedStatuses.has(response.status)) throw new Error(`HTTP ${response.status}`);
      const result = await read(response);
      retryAfter.delete(url.origin);
      responsive.add(url.origin);
      return result;
    } catch (error) {
      canceled?.throwIfAborted();
      if (error instanceof VitrineError) throw error;
      retryAfter.set(url.origin, Date.now() + retryDelayMs);
      responsive.delete(url.origin);
      log.warn('The package registry isn’t responding.', {
        host: url.host,
        reason: describeCode(error),
      });
      throw new VitrineError('registry_unreachable', undefined, { cause: error });
    }
  };

  /** Follows redirects, each of which must stay on the allowed hosts. */
  const follow = async (start: URL, headers: Record<string, string>, signal: AbortSignal) => {
    let url = start;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await requestWithRetry(url, headers, signal);
      const location = response.headers.get('location');
      if (
        response.status < 300 ||
        response.status >= 400 ||
        response.status === 304 ||
        location === null
      ) {
        return response;
      }
      response.body.resume();
      if (!URL.canParse(location, url.href)) break;
      url = new URL(location, url);
    }
    throw new VitrineError('package_source_refused', 'too many redirects');
  };

  /**
   * Sends a request. A reused connection may be closed by the server at the same moment; the
   * request is then repeated once.
   */
  const requestWithRetry = async (...args: Parameters<typeof request>) => {
    try {
      return await request(...args);
    } catch (error) {
      if (describeCode(error) !== 'ECONNRESET' || !responsive.has(args[0].origin)) throw error;
      return request(...args);
    }
  };

  const request = async (url: URL, headers: Record<string, string>, signal: AbortSignal) => {
    const access = hosts.classify(url);
    if (access === undefined) {
      log.warn('The registry redirected to a host that isn’t allowed.', { host: url.host });
      throw new VitrineError('package_source_refused', url.host);
    }
    const auth = access === 'registry' ? getAuth(url.href, { ...settings.npm }) : undefined;
    const { ca, cert, key, proxy, httpsProxy, noProxy, strictSSL, localAddress } = settings.npm;
    return makeFetch(url.href, {
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
      headers: { ...headers, 'user-agent': 'vitrine', ...authorize(auth) },
      ...(access === 'public' && { agent: createPublicOnlyAgent(url.protocol) }),
    });
  };

  return send;
}

type RegistryResponse = Awaited<ReturnType<typeof makeFetch>>;

function authorize(auth: ReturnType<typeof getAuth> | undefined): Record<string, string> {
  if (auth?.token) return { authorization: `Bearer ${auth.token}` };
  return auth?.auth ? { authorization: `Basic ${auth.auth}` } : {};
}

/**
 * URL of a tarball. Packuments name the public registry's host even when another registry serves
 * them; npm replaces it (`replace-registry-host`).
 */
function getTarballUrl(settings: RegistrySettings, name: string, text: string): URL {
  const registry = getRegistryUrl(settings, name);
  if (!URL.canParse(text)) throw new VitrineError('package_source_refused', name);
  const url = new URL(text);
  const wanted = settings.npm['replaceRegistryHost'] ?? 'npmjs';
  const replaced = wanted === 'npmjs' ? publicRegistryUrl.host : wanted;
  const isReplaced = replaced === 'always' || replaced === url.host;
  return isReplaced ? new URL(url.pathname.slice(1) + url.search, registry) : url;
}

function checkStatus(response: RegistryResponse, name: string): void {
  if (response.status === 200) return;
  response.body.resume();
  if (response.status === 404 || response.status === 410) {
    throw new VitrineError('package_not_found', name);
  }
  if (response.status === 401 || response.status === 403) {
    throw new VitrineError('registry_refused', `${name}: HTTP ${response.status}`);
  }
  throw new VitrineError('registry_unreachable', `${name}: HTTP ${response.status}`);
}

/**
 * Body of a tarball response. A connection that closes early is a failure of the registry, not of
 * the package.
 */
async function* readTarball(
  response: RegistryResponse,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  try {
    yield* response.body;
  } catch (error) {
    signal?.throwIfAborted();
    throw new VitrineError('registry_unreachable', 'The download was interrupted.', {
      cause: error,
    });
  }
}

async function readBody(response: RegistryResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    const bytes = Buffer.from(chunk);
    size += bytes.byteLength;
    if (size > maxBytes)
      throw new VitrineError('package_damaged', 'its registry metadata is too large');
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

/** Loggable code of an error. The message is left out, because it can quote the URL. */
function describeCode(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error ? String(error.code) : error.name;
}
