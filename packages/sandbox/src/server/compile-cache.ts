import {
  createReadFilter,
  needsCompiling,
  readProjectConfig,
  type PackageOptions,
  type ProjectConfig,
} from '@vitrine/compiler';
import { getTexts, type ProjectFiles } from '@vitrine/project';
import { createHash } from 'node:crypto';
import type { CompileClient, CompilePool, CompileRequest } from './compile-pool.ts';
import { CompileError, type CompileErrorCode, type CompileResult } from './compile-worker.ts';

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

/** Compiled output of a file. */
type CompiledOutput = CompileResult;

const noOutput: CompiledOutput = { code: null, map: null, module: null };

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
  ): Promise<CompiledOutput>;
}

/** Size of the output cache, in characters of code and source maps. */
const maxCharacters = 32_000_000;
/** Size of the project settings cache, in characters; mostly lockfiles and import maps. */
const maxSettingsCharacters = 20_000_000;
/** Maximum number of failures cached; each is an error message. */
const maxFailures = 2_000;

/** Creates the cache. `origin` is the app's. */
export function createCompileCache(pool: CompilePool, origin: string): CompileCache {
  /** Output by hash of everything it depends on; failures and pending compilations have the same key. */
  const forms = createCache<CompiledOutput>(maxCharacters);
  const failures = createCache<Failure>(maxFailures);
  const running = new Map<string, Promise<CompiledOutput>>();
  /** Settings by project and revision, because reading them parses every page. */
  const settings = createCache<ProjectSettings>(maxSettingsCharacters);

  const findSettings = (project: ServedProject): ProjectSettings => {
    // The number of plain URLs grows as packages are built.
    const id = `${project.id}-${project.revision}-${project.fullExportUrls?.size ?? 0}`;
    const known = settings.get(id);
    if (known) return known;
    const { size, ...found } = readSettings(project, origin);
    settings.set(id, found, size);
    return found;
  };
  const compile = (key: string, request: CompileRequest): Promise<CompiledOutput> => {
    const { timeoutMs } = request.client;
    const form = pool
      .compile(request)
      .then(
        (output) => {
          forms.set(key, output, sizeOf(output));
          return output;
        },
        (error: unknown) => {
          const ttlMs = error instanceof CompileError ? failureTtlMs[error.code] : 0;
          if (error instanceof CompileError && ttlMs > 0)
            failures.set(key, { error, timeoutMs, until: Date.now() + ttlMs }, 1);
          throw error;
        },
      )
      .finally(() => running.delete(key));
    running.set(key, form);
    return form;
  };

  return {
    async find(project, { path, text }, client) {
      const { projectConfig, packages, hash, exists } = findSettings(project);
      const { mapped, bundles } = projectConfig;
      if (!needsCompiling({ path, text }, { exists, mapped, bundles })) return noOutput;
      const mayRead = createReadFilter({ path, text });
      const texts = new Map([...getTexts(project.files)].filter(([other]) => mayRead(other)));
      const key = hashOf([hash, path, text, ...[...texts].flat()]);
      for (;;) {
        const form = forms.get(key);
        if (form) return form;
        const failure = failures.get(key);
        if (failure && applies(failure, client)) throw failure.error;
        const started = running.get(key);
        if (!started) {
          const job = { contextKey: hash, projectConfig, packages, path, text, texts };
          return compile(key, { job, project: project.id, client });
        }
        // The failure may apply only to the other client, such as its quota.
        const shared = await started.catch((error: unknown) => {
          if (!(error instanceof CompileError)) throw error;
        });
        if (shared) return shared;
      }
    },
  };
}

function sizeOf({ code, module, map }: CompiledOutput): number {
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

function readSettings(
  { files, fullExportUrls = new Set() }: ServedProject,
  origin: string,
): ProjectSettings & { size: number } {
  const projectConfig = { ...readProjectConfig(getTexts(files)), paths: [...files.keys()].sort() };
  const paths = new Set(projectConfig.paths);
  const text = JSON.stringify(projectConfig);
  return {
    projectConfig,
    size: text.length,
    packages: { origin, fullExportUrls },
    hash: hashOf([text, ...fullExportUrls]),
    exists: (path) => paths.has(path),
  };
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}
