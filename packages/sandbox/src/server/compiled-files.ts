import {
  createReadFilter,
  needsCompiling,
  readFacts,
  type PackageOptions,
  type ProjectFacts,
} from '@vitrine/compiler';
import { createHash } from 'node:crypto';
import type { CompileClient, CompilePool, CompileRequest } from './compile-pool.ts';
import { CompileError, type CompileErrorCode, type CompileResult } from './compile-worker.ts';

export interface ServedProject {
  id: string;
  slug: string;
  revision: number;
  isPrivate: boolean;
  files: ReadonlyMap<string, string>;
  /** Told to whoever opens its preview by itself; its slug stands for it where this is left out. */
  credit?: { title: string; author: string };
  /** Modules of packages that show all their names; see compiler, `PackageOptions`. */
  plainAddresses?: ReadonlySet<string>;
}

/** What stands for a file of a project. */
export type CompiledForm = CompileResult;

const asItIs: CompiledForm = { code: null, map: null, module: null };

export interface CompiledFiles {
  /**
   * Compiles when first asked; the same contents in the same surroundings once, also where that
   * fails because of the contents. Rejects with `CompileError`.
   */
  find(
    project: ServedProject,
    file: { path: string; text: string },
    client: CompileClient,
  ): Promise<CompiledForm>;
}

/** Characters of code and maps. */
const keptCharacters = 32_000_000;
/** Characters of what is known of projects: their locks and import maps, mostly. */
const keptFactCharacters = 20_000_000;
/** Each is a sentence. */
const keptFailures = 2_000;

/** `origin` is that of the app's host. */
export function createCompiledFiles(pool: CompilePool, origin: string): CompiledFiles {
  /** By hash of all that a form depends on, as are the next two. */
  const forms = createCache<CompiledForm>(keptCharacters);
  const failures = createCache<Failure>(keptFailures);
  const running = new Map<string, Promise<CompiledForm>>();
  /** By project and revision: reading its facts looks through every page. */
  const surroundings = createCache<Surroundings>(keptFactCharacters);

  const findSurroundings = (project: ServedProject): Surroundings => {
    // More becomes known of packages as they are built.
    const id = `${project.id}-${project.revision}-${project.plainAddresses?.size ?? 0}`;
    const known = surroundings.get(id);
    if (known) return known;
    const { size, ...found } = readSurroundings(project, origin);
    surroundings.set(id, found, size);
    return found;
  };
  const compile = (key: string, request: CompileRequest): Promise<CompiledForm> => {
    const { timeoutMs } = request.client;
    const form = pool
      .compile(request)
      .then(
        (made) => {
          forms.set(key, made, sizeOf(made));
          return made;
        },
        (error: unknown) => {
          const keptMs = error instanceof CompileError ? failureKeptMs[error.code] : 0;
          if (error instanceof CompileError && keptMs > 0)
            failures.set(key, { error, timeoutMs, until: Date.now() + keptMs }, 1);
          throw error;
        },
      )
      .finally(() => running.delete(key));
    running.set(key, form);
    return form;
  };

  return {
    async find(project, { path, text }, client) {
      const { facts, packages, hash, exists } = findSurroundings(project);
      if (!needsCompiling({ path, text }, { exists, mapped: facts.mapped })) return asItIs;
      const mayRead = createReadFilter({ path, text });
      const texts = new Map([...project.files].filter(([other]) => mayRead(other)));
      const key = hashOf([hash, path, text, ...[...texts].flat()]);
      for (;;) {
        const form = forms.get(key);
        if (form) return form;
        const failure = failures.get(key);
        if (failure && isFinal(failure, client)) throw failure.error;
        const started = running.get(key);
        if (!started) {
          const job = { contextKey: hash, facts, packages, path, text, texts };
          return compile(key, { job, project: project.id, client });
        }
        // It may have failed for what is true of the other client only, such as its quota.
        const shared = await started.catch((error: unknown) => {
          if (!(error instanceof CompileError)) throw error;
        });
        if (shared) return shared;
      }
    },
  };
}

function sizeOf({ code, module, map }: CompiledForm): number {
  return (code?.length ?? 0) + (module?.length ?? 0) + (map?.mappings.length ?? 0);
}

/** What was used longest ago leaves first, as soon as all together are larger than `maxSize`. */
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
  /** What the file was allowed to take. */
  timeoutMs: number;
  /** When it is forgotten, in milliseconds since the epoch. */
  until: number;
}

/** For how long a failure is kept: forever where only a change of the file or of what it reads helps. */
const failureKeptMs: Readonly<Record<CompileErrorCode, number>> = {
  timeout: Infinity,
  out_of_memory: Infinity,
  crashed: 60_000,
  overloaded: 10_000,
  queue_full: 0,
  quota_exceeded: 0,
  closed: 0,
};

/** Somebody who may take longer than it was given tries again. */
function isFinal({ error, timeoutMs, until }: Failure, client: CompileClient): boolean {
  const isOfTime = error.code === 'timeout' || error.code === 'overloaded';
  return until > Date.now() && !(isOfTime && timeoutMs < client.timeoutMs);
}

interface Surroundings {
  facts: ProjectFacts;
  packages: PackageOptions;
  hash: string;
  exists(path: string): boolean;
}

function readSurroundings(
  { files, plainAddresses = new Set() }: ServedProject,
  origin: string,
): Surroundings & { size: number } {
  const facts = readFacts(files);
  const paths = new Set(facts.paths);
  const text = JSON.stringify(facts);
  return {
    facts,
    size: text.length,
    packages: { origin, plainAddresses },
    hash: hashOf([text, ...plainAddresses]),
    exists: (path) => paths.has(path),
  };
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}
