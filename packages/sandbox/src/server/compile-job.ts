import type { PackageOptions, ProjectConfig, SourceMap } from '@vitrine/compiler';
import type { ProgramError, ProgramErrorCode } from '@vitrine/processes';

/** Work of a compile process. */
export type CompileJob = FileJob | ConfigJob;

/** Compiles a file. Its result is a `CompileResult`. */
export interface FileJob {
  type: 'file';
  /** Equal for files with the same context. */
  contextKey: string;
  path: string;
  text: string;
  /** Other files that this one may read. */
  texts: ReadonlyMap<string, string>;
}

/** What the output of all files of a project depends on. A process asks for it if it has another. */
export interface FileContext {
  projectConfig: ProjectConfig;
  packages: PackageOptions;
}

/** Reads a project's config files. Its result is a `ProjectConfig`. */
export interface ConfigJob {
  type: 'config';
  texts: ReadonlyMap<string, string>;
}

/** Output of a file; null for parts that it doesn't have. */
export interface CompileResult {
  /** Code that runs in place of the text. */
  code: string | null;
  map: SourceMap | null;
  /** JavaScript module for scripts that import the file. */
  module: string | null;
}

/** Notice to a compile process. A notice of a process asks for the context of its file. */
export type CompileNotice =
  /** Load the compiler for this extension. */
  { type: 'load'; extension: string } | { type: 'context'; context: FileContext };

/**
 * - `timeout`, `out_of_memory`: the file exceeded a limit.
 * - `fatal`: the file ended the compiler’s process or overflowed its stack.
 * - `crashed`: the compiler threw or failed to load.
 * - `overloaded`: the machine is too busy to tell whether the file takes too long.
 * - `queue_full`, `quota_exceeded`, `closed`: the file was not compiled.
 */
export type CompileErrorCode =
  | 'timeout'
  | 'out_of_memory'
  | 'fatal'
  | 'crashed'
  | 'overloaded'
  | 'queue_full'
  | 'quota_exceeded'
  | 'closed';

/** A file was not compiled. */
export class CompileError extends Error {
  override name = 'CompileError';
  readonly code: CompileErrorCode;
  /** Seconds until a retry makes sense; undefined if only a change of the file helps. */
  readonly retryAfterS: number | undefined;
  constructor(
    code: CompileErrorCode,
    message: string,
    retryAfterS?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/**
 * Parses a project's config. Everything but these fields is only used by compile processes.
 */
export function parseProjectConfig(value: unknown): ProjectConfig {
  const result = typeof value === 'object' && value !== null ? value : {};
  const isConfig =
    ['paths', 'mapped', 'bundles', 'aliases'].every((name) =>
      Array.isArray(Reflect.get(result, name)),
    ) && typeof Reflect.get(result, 'lockfile') === 'string';
  if (!isConfig) throw new CompileError('crashed', 'Couldn’t read the project’s config files.', 60);
  return result as ProjectConfig;
}

/** Parses the result of a process that has read the file. */
export function parseCompileResult(value: unknown): CompileResult {
  const result = typeof value === 'object' && value !== null ? value : {};
  const read = (name: string): unknown => Reflect.get(result, name);
  const readText = (name: string) => {
    const text = read(name);
    return typeof text === 'string' ? text : null;
  };
  const map = read('map');
  return { code: readText('code'), map: isSourceMap(map) ? map : null, module: readText('module') };
}

function isSourceMap(value: unknown): value is SourceMap {
  if (typeof value !== 'object' || value === null || !('mappings' in value)) return false;
  const lists = ['names', 'sources', 'sourcesContent'].map((name) => Reflect.get(value, name));
  return (
    typeof value.mappings === 'string' &&
    lists.every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string'))
  );
}

/** Describes why a job has no result. `cpuMs` is its limit of CPU time. */
export function describeFailure(job: CompileJob, error: ProgramError, cpuMs: number): CompileError {
  const code = findCode(error);
  const [name, doing] =
    job.type === 'file' ? [job.path, 'compile'] : ['The project’s config', 'read'];
  const failed = `Couldn’t ${doing} ${job.type === 'file' ? job.path : 'the project’s config'}`;
  const create = (message: string, retryAfterS?: number) =>
    new CompileError(code, message, retryAfterS, { cause: error });
  switch (code) {
    case 'timeout':
      return create(`${name} took longer than ${cpuMs / 1_000} s to ${doing}.`);
    case 'out_of_memory':
      return create(`${name} uses too much memory to ${doing}.`);
    case 'fatal':
      return create(`${failed}: its code is nested too deeply.`);
    case 'overloaded':
      return create(`${failed}: the server is busy. Try again in a few seconds.`, 10);
    default:
      return create(`${failed}: ${error.message}`, 60);
  }
}

const codes: Readonly<Record<ProgramErrorCode, CompileErrorCode>> = {
  cpu_time: 'timeout',
  time: 'overloaded',
  load_time: 'overloaded',
  out_of_memory: 'out_of_memory',
  died: 'fatal',
  killed: 'crashed',
  threw: 'crashed',
};

function findCode({ code, thrownName }: ProgramError): CompileErrorCode {
  // “Maximum call stack size exceeded”, in a compiler written in JavaScript.
  return thrownName === 'RangeError' ? 'fatal' : codes[code];
}
