/*
 * Every message of the package server's services under `/npm/-/`:
 *
 *   POST /npm/-/resolve      ResolveRequest   →  ResolveResponse
 *   POST /npm/-/register     RegisterRequest  →  RegisterResponse
 *   POST /npm/-/licenses     RegisterRequest  →  LicensesResponse
 *   POST /npm/-/cancel       CancelRequest    →  CancelResponse
 *   GET  /npm/-/progress?of=TARGET&of=…       →  ProgressResponse
 *   GET  /npm/-/search?text=…                 →  SearchResponse
 *   GET  /npm/-/package/NAME                  →  PackageInfo
 *   GET  /npm/-/types/TARGET.json             →  TypesResponse
 *
 * TARGET is NAME@VERSION~HASH, a package's URL without `/npm/`. A request that fails gets an
 * ErrorResponse. The server parses requests, and clients parse responses. Both ignore fields that
 * they don't know, because a page may be older than its server. The other paths under `/npm/-/` are
 * modules: see `package-url.ts`.
 *
 * This file runs in pages, workers and Node.
 */
import { isRecord } from '@vitrine/project/is-record';
import { isErrorCode, VitrineError, type ErrorCode } from '@vitrine/project/errors';

/** Requests new versions for a project's package.json and lockfile, after these changes. */
export interface ResolveRequest {
  readonly packageJson: string;
  /** Current package-lock.json. Versions in it that still satisfy their range are kept. */
  readonly lock?: string;
  readonly add?: readonly PackageRequest[];
  readonly remove?: readonly string[];
  /** Packages to update to the newest version within their ranges. */
  readonly update?: readonly string[];
}

/** A package to add. */
export interface PackageRequest {
  readonly name: string;
  /** Version range, tag or exact version; the latest version by default. */
  readonly range?: string;
}

export interface ResolveResponse {
  readonly packageJson: string;
  /** New package-lock.json. */
  readonly lock: string;
  readonly packages: readonly DescribedPackage[];
}

/** Makes every URL of a lockfile known to the server. */
export interface RegisterRequest {
  /** Text of a package-lock.json. */
  readonly lock: string;
  /**
   * Specifiers that the project imports: 'react-dom/client'. A package's size is that of these
   * modules, or of its main module if there are none.
   */
  readonly imports?: readonly string[];
}

export interface RegisterResponse {
  readonly packages: readonly DescribedPackage[];
}

/** License of a package that is built. */
export interface PackageLicense {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its package.json; '' if there is none. */
  readonly license: string;
  /** Its license files; '' if there are none. */
  readonly text: string;
}

export interface LicensesResponse {
  readonly packages: readonly PackageLicense[];
}

/** Cancels the work for these packages and their dependencies, as far as nobody waits for it. */
export interface CancelRequest {
  /** Targets: at most `requestItemsMax`. */
  readonly of: readonly string[];
}

type CancelResponse = Readonly<Record<string, never>>;

/** Direct dependency of a project. */
export interface ResolvedPackage {
  /** Name as it is imported. */
  readonly name: string;
  readonly version: string;
  /** Base URL of its modules, for development: `/npm/NAME@VERSION~HASH`. */
  readonly base: string;
  readonly license?: string;
  readonly deprecated?: string;
}

/** Direct dependency of a project, with what is known about it once it is built. */
export interface DescribedPackage extends ResolvedPackage {
  /** What a page downloads for its main module, compressed. */
  readonly bytes?: number;
  /** Subpaths ('', '/client') of the modules whose exports can all be listed without running them. */
  readonly plain?: readonly string[];
}

/** State of a package's build. `absent`: it was never requested, or evicted. */
export type BuildState = (typeof buildStates)[number];
const buildStates = ['absent', 'waiting', 'fetching', 'building', 'ready'] as const;

interface ProgressResponse {
  /** By target, for the requested ones. */
  readonly packages: Readonly<Record<string, BuildState>>;
  /**
   * While one of them is being built: how many packages are needed so far, dependencies included, and how many of
   * those are built.
   */
  readonly needed?: number;
  readonly built?: number;
}

export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license?: string;
}

export interface SearchResponse {
  readonly packages: readonly FoundPackage[];
  /** False when the registry has no search, and only the exact name was looked up. */
  readonly searched: boolean;
}

/** What the registry knows about a package, and its latest version in particular. */
export interface PackageInfo {
  readonly name: string;
  readonly description: string;
  readonly license: string;
  /** Newest first. */
  readonly versions: readonly string[];
  /** Distribution tag → version. */
  readonly tags: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly unpackedBytes?: number;
}

/** Type declarations of a package and its dependencies. */
export interface TypesResponse {
  /** Path where TypeScript looks for the file (`/node_modules/three/package.json`) → text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Any response to a request that succeeded. */
export type ServiceResponse =
  | ResolveResponse
  | RegisterResponse
  | LicensesResponse
  | CancelResponse
  | ProgressResponse
  | SearchResponse
  | PackageInfo
  | TypesResponse;

/** Why a request failed. */
export interface ErrorResponse {
  readonly code: ErrorCode;
  readonly details?: string;
}

/** Largest number of items in one list of a request. */
export const requestItemsMax = 50;

/** Maximum number of `imports` in a RegisterRequest. */
export const registeredImportsMax = 500;

/**
 * Parses the body of `POST /npm/-/resolve`. Names and ranges are any text.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseResolveRequest(body: unknown): ResolveRequest {
  const { packageJson, lock, add, remove, update } = parseObject(body);
  if (typeof packageJson !== 'string' || (lock !== undefined && typeof lock !== 'string')) {
    throw new VitrineError('bad_request', 'packageJson and lock must be strings');
  }
  return {
    packageJson,
    ...(lock !== undefined && { lock }),
    add: parseList(add).map(parseAddition),
    remove: parseList(remove).map(parseName),
    update: parseList(update).map(parseName),
  };
}

/**
 * Parses the body of `POST /npm/-/register`.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseRegisterRequest(body: unknown): RegisterRequest {
  const { lock, imports } = parseObject(body);
  if (typeof lock !== 'string') throw new VitrineError('bad_request', 'lock must be a string');
  if (imports === undefined) return { lock };
  return { lock, imports: parseList(imports, registeredImportsMax).map(parseName) };
}

/**
 * Parses the body of `POST /npm/-/cancel`.
 *
 * @throws VitrineError `bad_request`.
 */
export function parseCancelRequest(body: unknown): CancelRequest {
  return { of: parseList(parseObject(body)['of']).map(parseName) };
}

function parseObject(body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw new VitrineError('bad_request', 'must be an object');
  return body;
}

function parseList(value: unknown, itemsMax = requestItemsMax): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > itemsMax) {
    throw new VitrineError('bad_request', `must be a list of at most ${itemsMax} items`);
  }
  return value;
}

function parseAddition(value: unknown): PackageRequest {
  if (!isRecord(value)) throw new VitrineError('bad_request', 'add');
  const { name, range } = value;
  if (range === undefined || range === '') return { name: parseName(name) };
  if (typeof range !== 'string') throw new VitrineError('bad_request', 'range');
  return { name: parseName(name), range };
}

function parseName(value: unknown): string {
  if (typeof value !== 'string') throw new VitrineError('bad_request', 'a name must be a string');
  return value;
}

type Check<T> = (value: unknown) => value is T;

const isString: Check<string> = (value) => typeof value === 'string';
const isNumber: Check<number> = (value) => typeof value === 'number';
const isBoolean: Check<boolean> = (value) => typeof value === 'boolean';
const isBuildState: Check<BuildState> = (value): value is BuildState =>
  buildStates.some((state) => state === value);

const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);

const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every((item) => check(item));

const recordOf =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isRecord(value) && Object.values(value).every((item) => check(item));

/** Checks each field of an object. Other fields are ignored. */
const objectOf =
  <T extends object>(checks: { readonly [Name in keyof T]-?: Check<T[Name]> }): Check<T> =>
  (value): value is T => {
    if (!isRecord(value)) return false;
    for (const name in checks) if (!checks[name](value[name])) return false;
    return true;
  };

const isDescribedPackage = objectOf<DescribedPackage>({
  name: isString,
  version: isString,
  base: isString,
  license: optional(isString),
  deprecated: optional(isString),
  bytes: optional(isNumber),
  plain: optional(listOf(isString)),
});

const isFoundPackage = objectOf<FoundPackage>({
  name: isString,
  version: isString,
  description: isString,
  license: optional(isString),
});

const isErrorResponse = objectOf<ErrorResponse>({
  code: isErrorCode,
  details: optional(isString),
});

/**
 * Makes a parser of the body of a successful response. It throws the VitrineError `unexpected` for
 * a body that is no such response, as from a proxy in front of the server.
 */
const parserOf =
  <T>(check: Check<T>) =>
  (body: unknown): T => {
    if (check(body)) return body;
    throw new VitrineError('unexpected', 'invalid response of the package server');
  };

export const parseResolveResponse = parserOf(
  objectOf<ResolveResponse>({
    packageJson: isString,
    lock: isString,
    packages: listOf(isDescribedPackage),
  }),
);

export const parseRegisterResponse = parserOf(
  objectOf<RegisterResponse>({ packages: listOf(isDescribedPackage) }),
);

export const parseLicensesResponse = parserOf(
  objectOf<LicensesResponse>({
    packages: listOf(
      objectOf<PackageLicense>({
        name: isString,
        version: isString,
        license: isString,
        text: isString,
      }),
    ),
  }),
);

export const parseProgressResponse = parserOf(
  objectOf<ProgressResponse>({
    packages: recordOf(isBuildState),
    needed: optional(isNumber),
    built: optional(isNumber),
  }),
);

export const parseSearchResponse = parserOf(
  objectOf<SearchResponse>({ packages: listOf(isFoundPackage), searched: isBoolean }),
);

export const parsePackageInfo = parserOf(
  objectOf<PackageInfo>({
    name: isString,
    description: isString,
    license: isString,
    versions: listOf(isString),
    tags: recordOf(isString),
    deprecated: optional(isString),
    unpackedBytes: optional(isNumber),
  }),
);

export const parseTypesResponse = parserOf(objectOf<TypesResponse>({ files: recordOf(isString) }));

/** The error of a failed response; undefined when its body is not from the package server. */
export function parseErrorResponse(body: unknown): VitrineError | undefined {
  return isErrorResponse(body) ? new VitrineError(body.code, body.details) : undefined;
}

/**
 * URLs of the modules whose exports can all be listed without running them. An import of any other
 * module names what it imports in the query `names`, which makes the server export it.
 */
export function listFullExportUrls(packages: readonly DescribedPackage[]): string[] {
  return packages.flatMap(({ base, plain = [] }) => plain.map((subpath) => base + subpath));
}
