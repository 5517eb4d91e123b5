import {
  affectsConfig,
  createReadFilter,
  needsCompiling,
  readProjectConfig,
  type PackageOptions,
  type ProjectConfig,
} from '@vitrine/compiler';
import { getTexts, type ProjectFiles } from '@vitrine/project';
import { createHash } from 'node:crypto';
import type { CompileClient, CompilePool, CompileRequest } from './compile-pool.ts';
import {
  CompileError,
  parseCompileResult,
  parseProjectConfig,
  type CompileErrorCode,
  type CompileJob,
  type CompileResult,
} from './compile-job.ts';

export interface ServedProject {
  id: string;
  slug: string;
  /** With the id, says which files these are: a version has the revision that it is a copy of. */
  revision: number;
  isPrivate: boolean;
  /** Number of the version, if the request named one. */
  version?: number;
  files: ProjectFiles;
  /** Title and author shown when the preview is opened in a tab; defaults to the slug. */
  credit?: { title: string; author: string };
  /** URLs of package modules that list all their exports; see `PackageOptions` in the compiler. */
  fullExportUrls?: ReadonlySet<string>;
}

const noOutput: CompileResult = { code: null, map: null, module: null };

export interface CompileCache {
  /**
   * Compiles a file on first use. The same contents with the same settings compile once, even if they fail.
   *
   * @throws {CompileError}
   */
  find(
    project: ServedProject,
    file: { path: string; text: string },
    client: CompileClient,
  ): Promise<CompileResult>;
}

/** Log of failures that someone should look at. */
export interface CompileLog {
  warn(message: string, fields: Readonly<Record<string, string>>): void;
}

/** Size of the output cache, in characters of code and source maps. */
const maxCharacters = 32_000_000;
/** Size of the project settings cache, in characters; mostly lockfiles and import maps. */
const maxSettingsCharacters = 20_000_000;
/** Maximum number of failures cached; each is an error message. */
const maxFailures = 2_000;

/** Creates the cache. `origin` is the app's. */
export function createCompileCache(
  pool: CompilePool,
  { origin, log }: { origin: string; log?: CompileLog | undefined },
): CompileCache {
  const runOnce = createSharedRuns(pool, log);
  /** Output of files by hash of everything it depends on. */
  const outputs = createCache<CompileResult>(maxCharacters);
  /** Settings by project and revision. */
  const settings = createCache<ProjectSettings>(maxSettingsCharacters);

  const readConfig = async (
    { id, files }: ServedProject,
    client: CompileClient,
  ): Promise<ProjectConfig> => {
    const paths = [...files.keys()].sort();
    const texts = new Map([...getTexts(files)].filter(([path, text]) => affectsConfig(path, text)));
    // Nothing of the project is parsed then.
    if (texts.size === 0) return { ...readProjectConfig(texts), paths };
    const key = hashOf(['config', ...[...texts].flat()]);
    const job: CompileJob = { type: 'config', texts };
    return { ...(await runOnce(key, { job, project: id, client }, parseProjectConfig)), paths };
  };
  const findSettings = async (
    project: ServedProject,
    client: CompileClient,
  ): Promise<ProjectSettings> => {
    const { id, revision, fullExportUrls = new Set() } = project;
    // The number of plain URLs grows as packages are built.
    const key = `${id}-${revision}-${fullExportUrls.size}`;
    const known = settings.get(key);
    if (known) return known;
    const projectConfig = await readConfig(project, client);
    const paths = new Set(projectConfig.paths);
    const text = JSON.stringify(projectConfig);
    const found: ProjectSettings = {
      projectConfig,
      packages: { origin, fullExportUrls },
      hash: hashOf([text, ...fullExportUrls]),
      exists: (path) => paths.has(path),
    };
    settings.set(key, found, text.length);
    return found;
  };

  return {
    async find(project, { path, text }, client) {
      const { projectConfig, packages, hash, exists } = await findSettings(project, client);
      const { mapped, bundles } = projectConfig;
      if (!needsCompiling({ path, text }, { exists, mapped, bundles })) return noOutput;
      const mayRead = createReadFilter({ path, text });
      const texts = new Map([...getTexts(project.files)].filter(([other]) => mayRead(other)));
      const key = hashOf([hash, path, text, ...[...texts].flat()]);
      const known = outputs.get(key);
      if (known) return known;
      const job: CompileJob = { type: 'file', contextKey: hash, path, text, texts };
      const context = { projectConfig, packages };
      const request = { job, context, project: project.id, client };
      const output = await runOnce(key, request, parseCompileResult);
      outputs.set(key, output, sizeOf(output));
      return output;
    },
  };
}

/** Runs a job. `key` is the hash of everything that its result depends on. */
type RunOnce = <Result>(
  key: string,
  request: CompileRequest,
  parse: (result: unknown) => Result,
) => Promise<Result>;

/** Creates a function that runs equal jobs once while one is running, and not again if it failed. */
function createSharedRuns(pool: CompilePool, log: CompileLog | undefined): RunOnce {
  const failures = createCache<Failure>(maxFailures);
  /** Jobs that are running, by key. */
  const running = new Map<string, Promise<unknown>>();

  const remember = (key: string, { job, project, client }: CompileRequest, error: unknown) => {
    if (!(error instanceof CompileError)) return;
    const { code, message, cause } = error;
    const ttlMs = failureTtlMs[code];
    const { timeoutMs } = client;
    if (ttlMs > 0) failures.set(key, { error, timeoutMs, until: Date.now() + ttlMs }, 1);
    if (code !== 'fatal' && code !== 'out_of_memory' && code !== 'crashed') return;
    log?.warn('A file of a project ended its compile process.', {
      project,
      path: job.type === 'file' ? job.path : 'config files',
      hash: key,
      reason: cause instanceof Error ? cause.message : message,
    });
  };
  const start = (key: string, request: CompileRequest): Promise<unknown> => {
    const result = pool
      .run(request)
      .catch((error: unknown) => {
        remember(key, request, error);
        throw error;
      })
      .finally(() => running.delete(key));
    running.set(key, result);
    return result;
  };

  return async (key, request, parse) => {
    for (;;) {
      const failure = failures.get(key);
      if (failure && applies(failure, request.client)) throw failure.error;
      const started = running.get(key);
      if (!started) return parse(await start(key, request));
      // The failure may apply only to the other client, such as its quota.
      const shared = await started.catch((error: unknown) => {
        if (!(error instanceof CompileError)) throw error;
      });
      if (shared !== undefined) return parse(shared);
    }
  };
}

function sizeOf({ code, module, map }: CompileResult): number {
  return (code?.length ?? 0) + (module?.length ?? 0) + (map?.mappings.length ?? 0);
}

/** LRU cache: drops the entries used longest ago while the total size exceeds `maxSize`. */
function createCache<T>(maxSize: number) {
  const entries = new Map<string, { value: T; size: number }>();
  let total = 0;
  const drop = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  const set = (key: string, value: T, size: number) => {
    drop(key);
    entries.set(key, { value, size });
    total += size;
    for (const old of entries.keys()) {
      if (total <= maxSize || old === key) break;
      drop(old);
    }
  };
  const get = (key: string) => {
    const found = entries.get(key);
    if (found) set(key, found.value, found.size);
    return found?.value;
  };
  return { get, set };
}

interface Failure {
  error: CompileError;
  /** Time limit that the file was compiled with. */
  timeoutMs: number;
  /** Expiration, in milliseconds since the epoch. */
  until: number;
}

/** Time that a failure is cached; forever if only a change of the file or its dependencies helps. */
const failureTtlMs: Readonly<Record<CompileErrorCode, number>> = {
  timeout: Infinity,
  out_of_memory: Infinity,
  fatal: Infinity,
  crashed: 60_000,
  overloaded: 10_000,
  queue_full: 0,
  quota_exceeded: 0,
  closed: 0,
};

/** Whether a cached failure applies. A client with a longer time limit tries again. */
function applies({ error, timeoutMs, until }: Failure, client: CompileClient): boolean {
  const isTimeout = error.code === 'timeout' || error.code === 'overloaded';
  return until > Date.now() && !(isTimeout && timeoutMs < client.timeoutMs);
}

interface ProjectSettings {
  projectConfig: ProjectConfig;
  packages: PackageOptions;
  hash: string;
  exists(path: string): boolean;
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}
