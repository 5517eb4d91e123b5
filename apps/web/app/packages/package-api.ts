import { isErrorCode, VitrineError, type ErrorCode } from '@vitrine/project';
import type { PackageRequest } from './package-requests.ts';

/** A change to the dependencies. Without any of the three, package.json is resolved as it is. */
export interface PackageChange {
  readonly add?: readonly PackageRequest[];
  readonly remove?: readonly string[];
  readonly update?: readonly string[];
}

/** A project's package.json and lockfile; undefined for a missing file. */
export interface PackageJsonFiles {
  readonly manifest: string | undefined;
  readonly lockfile: string | undefined;
}

/** A direct dependency of the project, as the server knows it. */
export interface DirectDependency {
  readonly name: string;
  readonly version: string;
  /** Size of the built package, if it is built. */
  readonly bytes?: number;
  /** URLs of its modules that export all their names without a `names` query, if it is built. */
  readonly fullExportUrls?: readonly string[];
}

export interface PackageResolution {
  readonly manifest: string;
  readonly lockfile: string;
  readonly packages: readonly DirectDependency[];
}

export interface PackageSearchResult {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** State of a package's build on the server; `absent` if it was never requested. */
export type BuildState = (typeof buildStates)[number];
const buildStates = ['absent', 'waiting', 'fetching', 'building', 'ready'] as const;

export interface PackageSearchResponse {
  readonly packages: readonly PackageSearchResult[];
  /** False if the registry has no search, so that only the exact name was looked up. */
  readonly hasSearch: boolean;
}

/** A package's versions in the registry. */
export interface PackageDetails {
  /** Newest first. */
  readonly versions: readonly string[];
  readonly latest: string | undefined;
}

/** Client of the package server. Each request rejects with a `VitrineError`. */
export interface PackageApi {
  resolve(
    files: PackageJsonFiles,
    change: PackageChange,
    signal: AbortSignal,
  ): Promise<PackageResolution>;
  /** Registers a lockfile, so that its packages' URLs can be served. Resolves to its packages. */
  register(lockfile: string): Promise<readonly DirectDependency[]>;
  /** Builds the main module at a URL. Rejects with the reason if it can't be built. */
  build(address: string, signal: AbortSignal): Promise<void>;
  /** Cancels the builds of these URLs, except those that others wait for. */
  cancel(addresses: readonly string[]): Promise<void>;
  /** The build states of the packages at these URLs, in the same order. */
  progress(addresses: readonly string[], signal: AbortSignal): Promise<readonly BuildState[]>;
  search(text: string, signal: AbortSignal): Promise<PackageSearchResponse>;
  getDetails(name: string, signal: AbortSignal): Promise<PackageDetails>;
}

/** Maximum number of URLs in a cancel request. */
const cancelMax = 50;

/** Sends a request to a path of this origin. */
type Send = (path: string, init: RequestInit) => Promise<Response>;

/** Creates a client of this origin's package server. */
export function createPackageApi(send: Send = (...request) => fetch(...request)): PackageApi {
  const { getJson, post, get } = createRequests(send);
  return {
    async resolve({ manifest = '{}', lockfile }, change, signal) {
      const body = {
        packageJson: manifest,
        ...(lockfile !== undefined && { lock: lockfile }),
        ...change,
      };
      return parseResolved(await post('/npm/-/resolve', body, signal));
    },
    async register(lockfile) {
      return parsePackages(await post('/npm/-/register', { lock: lockfile }));
    },
    async build(address, signal) {
      const response = await get(address, { signal });
      // Only the preview needs the module's code.
      await response.body?.cancel();
    },
    async cancel(addresses) {
      const of = addresses.map((address) => address.replace('/npm/', ''));
      for (let start = 0; start < of.length; start += cancelMax) {
        await post('/npm/-/cancel', { of: of.slice(start, start + cancelMax) });
      }
    },
    async progress(addresses, signal) {
      const of = addresses.map((address) => ['of', address.replace('/npm/', '')]);
      const query = new URLSearchParams(of).toString();
      return parseProgress(await getJson(`/npm/-/progress?${query}`, { signal }));
    },
    async search(text, signal) {
      const path = `/npm/-/search?${new URLSearchParams({ text }).toString()}`;
      return parseSearch(await getJson(path, { signal }));
    },
    async getDetails(name, signal) {
      return parseDetails(await getJson(`/npm/-/package/${name}`, { signal }));
    },
  };
}

function createRequests(send: Send) {
  /** Rejects with the error of a failed response. */
  async function get(path: string, init: RequestInit): Promise<Response> {
    const response = await trySend(path, init);
    if (!response.ok) throw await parseError(response);
    return response;
  }

  async function trySend(path: string, init: RequestInit): Promise<Response> {
    try {
      return await send(path, { ...init, credentials: 'omit' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new VitrineError('server_unreachable', undefined, { cause: error });
    }
  }

  async function getJson(path: string, init: RequestInit): Promise<unknown> {
    return await (await get(path, init)).json();
  }

  function post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const headers = { 'Content-Type': 'application/json' };
    const text = JSON.stringify(body);
    return getJson(path, { method: 'POST', headers, body: text, ...(signal && { signal }) });
  }

  return { get, getJson, post };
}

async function parseError(response: Response): Promise<VitrineError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, details } = asRecord(body);
  return new VitrineError(
    isErrorCode(code) ? code : codeForStatus(response.status),
    typeof details === 'string' ? details : undefined,
  );
}

/** Error code for a response without one, as from a proxy in front of the server. */
function codeForStatus(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  return status >= 502 ? 'server_unreachable' : 'unexpected';
}

function parseResolved(body: unknown): PackageResolution {
  const { packageJson, lock } = asRecord(body);
  if (typeof packageJson !== 'string' || typeof lock !== 'string')
    throw new VitrineError('unexpected', 'invalid response of the package server');
  return { manifest: packageJson, lockfile: lock, packages: parsePackages(body) };
}

function parsePackages(body: unknown): DirectDependency[] {
  const { packages } = asRecord(body);
  return Array.isArray(packages) ? packages.flatMap(parsePackage) : [];
}

function parsePackage(item: unknown): DirectDependency[] {
  const { name, version, base, bytes, plain } = asRecord(item);
  if (typeof name !== 'string' || typeof version !== 'string') return [];
  const subpaths = Array.isArray(plain) && typeof base === 'string' ? plain.map(String) : [];
  return [
    {
      name,
      version,
      ...(typeof bytes === 'number' && { bytes }),
      ...(subpaths.length > 0 && {
        fullExportUrls: subpaths.map((each) => `${String(base)}${each}`),
      }),
    },
  ];
}

function parseProgress(body: unknown): BuildState[] {
  const states = Object.values(asRecord(asRecord(body)['packages']));
  return states.map((state) => buildStates.find((each) => each === state) ?? 'absent');
}

function parseSearch(body: unknown): PackageSearchResponse {
  const { packages, searched } = asRecord(body);
  const found = Array.isArray(packages) ? packages.flatMap(parseFound) : [];
  return { packages: found, hasSearch: searched === true };
}

function parseFound(item: unknown): PackageSearchResult[] {
  const { name, version, description } = asRecord(item);
  if (typeof name !== 'string' || typeof version !== 'string') return [];
  return [{ name, version, description: typeof description === 'string' ? description : '' }];
}

function parseDetails(body: unknown): PackageDetails {
  const { versions, tags } = asRecord(body);
  const { latest } = asRecord(tags);
  return {
    versions: Array.isArray(versions) ? versions.filter((each) => typeof each === 'string') : [],
    latest: typeof latest === 'string' ? latest : undefined,
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
