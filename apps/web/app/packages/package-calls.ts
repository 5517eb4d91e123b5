import { isErrorCode, VitrineError, type ErrorCode } from '@vitrine/project';
import type { WantedPackage } from './wanted-packages.ts';

/** What is to become of the packages; with none of the three, whatever the files ask for by now. */
export interface PackageChange {
  readonly add?: readonly WantedPackage[];
  readonly remove?: readonly string[];
  readonly update?: readonly string[];
}

/** The two files of a project that say what its packages are; undefined where there is none. */
export interface PackageFiles {
  readonly manifest: string | undefined;
  readonly lock: string | undefined;
}

/** A package that the project itself lists, as the server knows it. */
export interface ResolvedPackage {
  readonly name: string;
  readonly version: string;
  /** What it weighs as built, where it was built already. */
  readonly bytes?: number;
  /** Addresses of its modules that show all their names, where it was built already. */
  readonly plainAddresses?: readonly string[];
}

export interface Resolved {
  readonly manifest: string;
  readonly lock: string;
  readonly packages: readonly ResolvedPackage[];
}

export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** What the server does about a package; `absent` where nobody has asked for it. */
export type BuildState = (typeof buildStates)[number];
const buildStates = ['absent', 'waiting', 'fetching', 'building', 'ready'] as const;

/** What a search found; not `searched` where the registry offers none and only the name was tried. */
export interface SearchAnswer {
  readonly packages: readonly FoundPackage[];
  readonly searched: boolean;
}

/** What the registry says of a package; versions are the newest first. */
export interface PackageDetails {
  readonly versions: readonly string[];
  readonly latest: string | undefined;
}

/** Everything the page asks of the package server. Each rejects with a `VitrineError`. */
export interface PackageCalls {
  resolve(files: PackageFiles, change: PackageChange, signal: AbortSignal): Promise<Resolved>;
  /** Makes the server know the addresses that this lock leads to, and asks what is known of them. */
  register(lock: string): Promise<readonly ResolvedPackage[]>;
  /** Has the main module at an address built; rejects with the reason where there is none to be had. */
  build(address: string, signal: AbortSignal): Promise<void>;
  /** Has the server end what it does for these addresses, as far as nobody waits for it. */
  cancel(addresses: readonly string[]): Promise<void>;
  /** How far the packages at these addresses are. */
  progress(addresses: readonly string[], signal: AbortSignal): Promise<readonly BuildState[]>;
  search(text: string, signal: AbortSignal): Promise<SearchAnswer>;
  describe(name: string, signal: AbortSignal): Promise<PackageDetails>;
}

/** The server takes so many at a time. */
const cancelledMax = 50;

/** Sends a request to an address of this origin. */
type Send = (address: string, init: RequestInit) => Promise<Response>;

/** The calls to the package server of this origin. */
export function createPackageCalls(send: Send = (...request) => fetch(...request)): PackageCalls {
  const { ask, post, get } = createAsking(send);
  return {
    async resolve({ manifest = '{}', lock }, change, signal) {
      const body = { packageJson: manifest, ...(lock !== undefined && { lock }), ...change };
      return parseResolved(await post('/npm/-/resolve', body, signal));
    },
    async register(lock) {
      return parsePackages(await post('/npm/-/register', { lock }));
    },
    async build(address, signal) {
      const response = await get(address, { signal });
      // Only the preview needs the module itself.
      await response.body?.cancel();
    },
    async cancel(addresses) {
      const of = addresses.map((address) => address.replace('/npm/', ''));
      for (let at = 0; at < of.length; at += cancelledMax) {
        await post('/npm/-/cancel', { of: of.slice(at, at + cancelledMax) });
      }
    },
    async progress(addresses, signal) {
      const of = addresses.map((address) => ['of', address.replace('/npm/', '')]);
      const query = new URLSearchParams(of).toString();
      return parseProgress(await ask(`/npm/-/progress?${query}`, { signal }));
    },
    async search(text, signal) {
      const address = `/npm/-/search?${new URLSearchParams({ text }).toString()}`;
      return parseSearch(await ask(address, { signal }));
    },
    async describe(name, signal) {
      return parseDetails(await ask(`/npm/-/package/${name}`, { signal }));
    },
  };
}

function createAsking(send: Send) {
  /** Rejects with the failure that an answer tells of. */
  async function get(address: string, init: RequestInit): Promise<Response> {
    const response = await tryToSend(address, init);
    if (!response.ok) throw await failureOf(response);
    return response;
  }

  async function tryToSend(address: string, init: RequestInit): Promise<Response> {
    try {
      return await send(address, { ...init, credentials: 'omit' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new VitrineError('server_unreachable', undefined, { cause: error });
    }
  }

  async function ask(address: string, init: RequestInit): Promise<unknown> {
    return await (await get(address, init)).json();
  }

  function post(address: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const headers = { 'Content-Type': 'application/json' };
    const text = JSON.stringify(body);
    return ask(address, { method: 'POST', headers, body: text, ...(signal && { signal }) });
  }

  return { get, ask, post };
}

async function failureOf(response: Response): Promise<VitrineError> {
  const answer: unknown = await response.json().catch(() => undefined);
  const { code, details } = asRecord(answer);
  return new VitrineError(
    isErrorCode(code) ? code : codeOfStatus(response.status),
    typeof details === 'string' ? details : undefined,
  );
}

/** A proxy in front of the server answers without a code. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  return status >= 502 ? 'server_unreachable' : 'unexpected';
}

function parseResolved(answer: unknown): Resolved {
  const { packageJson, lock } = asRecord(answer);
  if (typeof packageJson !== 'string' || typeof lock !== 'string')
    throw new VitrineError('unexpected', 'the package server answered in another shape');
  return { manifest: packageJson, lock, packages: parsePackages(answer) };
}

function parsePackages(answer: unknown): ResolvedPackage[] {
  const { packages } = asRecord(answer);
  return Array.isArray(packages) ? packages.flatMap(parsePackage) : [];
}

function parsePackage(item: unknown): ResolvedPackage[] {
  const { name, version, base, bytes, plain } = asRecord(item);
  if (typeof name !== 'string' || typeof version !== 'string') return [];
  const subpaths = Array.isArray(plain) && typeof base === 'string' ? plain.map(String) : [];
  return [
    {
      name,
      version,
      ...(typeof bytes === 'number' && { bytes }),
      ...(subpaths.length > 0 && {
        plainAddresses: subpaths.map((each) => `${String(base)}${each}`),
      }),
    },
  ];
}

function parseProgress(answer: unknown): BuildState[] {
  const states = Object.values(asRecord(asRecord(answer)['packages']));
  return states.map((state) => buildStates.find((each) => each === state) ?? 'absent');
}

function parseSearch(answer: unknown): SearchAnswer {
  const { packages, searched } = asRecord(answer);
  const found = Array.isArray(packages) ? packages.flatMap(parseFound) : [];
  return { packages: found, searched: searched === true };
}

function parseFound(item: unknown): FoundPackage[] {
  const { name, version, description } = asRecord(item);
  if (typeof name !== 'string' || typeof version !== 'string') return [];
  return [{ name, version, description: typeof description === 'string' ? description : '' }];
}

function parseDetails(answer: unknown): PackageDetails {
  const { versions, tags } = asRecord(answer);
  const { latest } = asRecord(tags);
  return {
    versions: Array.isArray(versions) ? versions.filter((each) => typeof each === 'string') : [],
    latest: typeof latest === 'string' ? latest : undefined,
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
