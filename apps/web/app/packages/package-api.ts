import {
  parseErrorResponse,
  parseLicensesResponse,
  parsePackageInfo,
  parseProgressResponse,
  parseRegisterResponse,
  parseResolveResponse,
  parseSearchResponse,
  registeredImportsMax,
  requestItemsMax,
  type BuildState,
  type CancelRequest,
  type DescribedPackage,
  type PackageInfo,
  type PackageLicense,
  type RegisterRequest,
  type ResolveRequest,
  type ResolveResponse,
  type SearchResponse,
} from '@vitrine/esm/messages';
import { VitrineError, type ErrorCode } from '@vitrine/project';

/**
 * A change to the dependencies. Without any of the three lists, package.json is resolved as it is.
 */
export type PackageChange = Pick<ResolveRequest, 'add' | 'remove' | 'update'>;

/** A project's package.json and lockfile; undefined for a missing file. */
export interface PackageJsonFiles {
  readonly manifest: string | undefined;
  readonly lockfile: string | undefined;
}

/** Client of the package server. Each request rejects with a `VitrineError`. */
export interface PackageApi {
  resolve(
    files: PackageJsonFiles,
    change: PackageChange,
    signal: AbortSignal,
  ): Promise<ResolveResponse>;
  /**
   * Registers a lockfile, so that its packages' URLs can be served. Resolves to its packages, with the
   * sizes of the modules that the project imports.
   */
  register(lockfile: string, imports?: readonly string[]): Promise<readonly DescribedPackage[]>;
  /** Licenses of a lockfile's packages, as far as pages have loaded them. */
  getLicenses(lockfile: string, signal: AbortSignal): Promise<readonly PackageLicense[]>;
  /** Builds the main module at a URL. Rejects with the reason if it can't be built. */
  build(address: string, signal: AbortSignal): Promise<void>;
  /** Cancels the builds of these URLs, except those that others wait for. */
  cancel(addresses: readonly string[]): Promise<void>;
  /** The build states of the packages at these URLs, in the same order. */
  progress(addresses: readonly string[], signal: AbortSignal): Promise<BuildProgress>;
  search(text: string, signal: AbortSignal): Promise<SearchResponse>;
  getInfo(name: string, signal: AbortSignal): Promise<PackageInfo>;
}

export interface BuildProgress {
  /** In the order of the addresses. */
  readonly states: readonly BuildState[];
  /** Number of packages that are needed so far, dependencies included; 0 while nothing is being built. */
  readonly needed: number;
  /** How many of them are built. */
  readonly built: number;
}

/** Sends a request to a path of this origin. */
type Send = (path: string, init: RequestInit) => Promise<Response>;

/** Creates a client of this origin's package server. */
export function createPackageApi(send: Send = (...request) => fetch(...request)): PackageApi {
  const { getJson, post, get } = createRequests(send);
  return {
    async resolve({ manifest = '{}', lockfile }, change, signal) {
      const body: ResolveRequest = {
        packageJson: manifest,
        ...(lockfile !== undefined && { lock: lockfile }),
        ...change,
      };
      return parseResolveResponse(await post('/npm/-/resolve', body, signal));
    },
    async register(lockfile, imports = []) {
      const body: RegisterRequest = {
        lock: lockfile,
        imports: imports.slice(0, registeredImportsMax),
      };
      return parseRegisterResponse(await post('/npm/-/register', body)).packages;
    },
    async getLicenses(lockfile, signal) {
      const body: RegisterRequest = { lock: lockfile };
      return parseLicensesResponse(await post('/npm/-/licenses', body, signal)).packages;
    },
    async build(address, signal) {
      const response = await get(address, { signal });
      // Only the preview needs the module's code.
      await response.body?.cancel();
    },
    async cancel(addresses) {
      const targets = addresses.map(getTarget);
      for (let start = 0; start < targets.length; start += requestItemsMax) {
        const body: CancelRequest = { of: targets.slice(start, start + requestItemsMax) };
        await post('/npm/-/cancel', body);
      }
    },
    async progress(addresses, signal) {
      const targets = addresses.map(getTarget);
      const query = new URLSearchParams(targets.map((target) => ['of', target])).toString();
      const body = await getJson(`/npm/-/progress?${query}`, { signal });
      const { packages, needed = 0, built = 0 } = parseProgressResponse(body);
      return { states: targets.map((target) => packages[target] ?? 'absent'), needed, built };
    },
    async search(text, signal) {
      const path = `/npm/-/search?${new URLSearchParams({ text }).toString()}`;
      return parseSearchResponse(await getJson(path, { signal }));
    },
    async getInfo(name, signal) {
      return parsePackageInfo(await getJson(`/npm/-/package/${name}`, { signal }));
    },
  };
}

/** `/npm/NAME@VERSION~HASH` → `NAME@VERSION~HASH` */
function getTarget(address: string): string {
  return address.replace('/npm/', '');
}

function createRequests(send: Send) {
  /** Rejects with the error of a failed response. */
  async function get(path: string, init: RequestInit): Promise<Response> {
    const response = await orUnreachable(send(path, { ...init, credentials: 'omit' }), init.signal);
    if (response.ok) return response;
    const body = await readJson(response, init.signal);
    throw parseErrorResponse(body) ?? new VitrineError(codeForStatus(response.status));
  }

  async function getJson(path: string, init: RequestInit): Promise<unknown> {
    return readJson(await get(path, init), init.signal);
  }

  function post(path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    const headers = { 'Content-Type': 'application/json' };
    const text = JSON.stringify(body);
    return getJson(path, { method: 'POST', headers, body: text, ...(signal && { signal }) });
  }

  return { get, getJson, post };
}

/** Resolves to undefined for a body that isn't JSON, as from a proxy in front of the server. */
async function readJson(response: Response, signal: RequestInit['signal']): Promise<unknown> {
  const text = await orUnreachable(response.text(), signal);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Rejects with `server_unreachable`, unless the request was aborted. */
async function orUnreachable<T>(work: Promise<T>, signal: RequestInit['signal']): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new VitrineError('server_unreachable', undefined, { cause: error });
  }
}

/** Error code for a response without one, as from a proxy in front of the server. */
function codeForStatus(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  return status >= 502 ? 'server_unreachable' : 'unexpected';
}
