import {
  createModuleContext,
  isSameProjectConfig,
  mayChangeProjectConfig,
  readProjectConfig,
  appendInlineMap,
  type CompiledFile,
  type ModuleContext,
  type PackageOptions,
  type ProjectConfig,
} from '@vitrine/compiler';
import type { CompiledTransform } from '@vitrine/compiler/wasm/start';
import type { FileChanges, ProjectFile, ProjectFiles } from '@vitrine/project';
import type * as MainThread from './compile-on-main-thread.ts';

/** Output of one file. `code` carries its source map inline. */
export type CompileOutput = Omit<CompiledFile, 'map'> & {
  /** Mappings of the source map, for translating positions. */
  mappings: string | undefined;
  /** Loaded bytes of an asset. */
  asset?: LoadedAsset;
  /** The compiler itself failed; a retry may succeed. */
  isLost: boolean;
  /** The compiler timed out. A retry would usually time out too, so only the user starts one. */
  isStuck?: boolean;
};

interface LoadedAsset {
  readonly bytes: Blob;
  /** Decoded, if the media type says that it is text; '' otherwise. */
  readonly text: string;
}

/** Output of a file that runs as it is. */
export const passthroughOutput: CompileOutput = {
  code: undefined,
  mappings: undefined,
  module: undefined,
  problems: [],
  missing: [],
  absent: [],
  imports: [],
  hot: undefined,
  reads: [],
  isLost: false,
};

/** Converts the compiler's result, with the source map inlined into the code. */
export function toCompileOutput(path: string, { code, map, ...rest }: CompiledFile): CompileOutput {
  return {
    ...rest,
    code: code !== undefined && map ? appendInlineMap(path, code, map) : code,
    mappings: map?.mappings,
    isLost: false,
  };
}

/** Output of a file that the compiler failed on for reasons outside the file. */
export function compilerFailure(message: string): CompileOutput {
  return { ...passthroughOutput, problems: [{ message, line: 1, column: 1 }], isLost: true };
}

export type CompileWorkerRequest =
  /** Settings for the files of this preview, from now on. */
  | {
      type: 'context';
      preview: number;
      facts: ProjectConfig;
      packages: PackageOptions;
      guardsLoops: boolean;
    }
  /** Changes of the texts that files can read, since the last message. */
  | { type: 'texts'; preview: number; changed: ReadonlyMap<string, string>; removed: string[] }
  | { type: 'compile'; preview: number; id: number; path: string; text: string }
  | { type: 'close'; preview: number }
  /** Respond with `alive`. */
  | { type: 'ping' };

export type CompileWorkerResponse =
  | { type: 'compiled'; id: number; file: CompileOutput }
  /** The compiled WebAssembly module of oxc, sent before the first file that uses it; not in Firefox. */
  | { type: 'transform'; transform: CompiledTransform }
  /** A compiler couldn't be loaded. In Firefox, this worker can't load it any more. */
  | { type: 'load-failed' }
  /** Response to `ping`, and sent once at the start. */
  | { type: 'alive' };

/** Compiles the files of one preview. */
export interface ProjectCompiler {
  /**
   * Changes the project's files.
   *
   * @returns Whether settings that affect every file changed, such as `tsconfig.json`. The caller knows
   * which files read the texts of others.
   */
  changeFiles(changes: FileChanges): boolean;
  /** Loads the compiler for small edits, which the page would otherwise load with the first one. */
  prepareForEdits(): void;
  /** Returns the output synchronously if that takes less time than asking the worker. */
  compile(path: string, text: string): CompileOutput | Promise<CompileOutput>;
  close(): void;
}

/**
 * The worker that all previews of the page share, because compiling a large script takes longer than a
 * frame and must not delay typing. Started with the first preview and never stopped.
 */
let worker: Worker | undefined;
let nextId = 1;
/** Resolvers of pending compilations by id; removed with the response. */
const pending = new Map<number, (file: CompileOutput) => void>();

/** A worker that doesn't respond for this long is in a loop, which a Sass stylesheet can cause. */
const timeoutMs = 5_000;
const pingEveryMs = 500;
/** Set with the first message of the worker. Before that, a delay is the network's. */
let isStarted = false;
/** Timer until the next ping, or until the worker is terminated; undefined while nothing is pending. */
let watchTimer: ReturnType<typeof setTimeout> | undefined;

export function startCompileWorker(): void {
  if (worker) return;
  worker = new Worker(new URL('./compile-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<CompileWorkerResponse>) => {
    isStarted = true;
    clearTimeout(watchTimer);
    watchTimer = setTimeout(pingWorker, pingEveryMs);
    if (data.type === 'alive') return;
    if (data.type === 'transform') return setTransform(data.transform);
    if (data.type === 'load-failed') return restartWorker(unreachable);
    pending.get(data.id)?.(data.file);
    pending.delete(data.id);
  };
  // The worker's script failed to load.
  worker.onerror = () => restartWorker(unreachable);
}

const unreachable = compilerFailure(
  'Couldn’t load the compiler. Check your connection and run the project again.',
);

function pingWorker(): void {
  watchTimer = undefined;
  if (pending.size === 0) return;
  send({ type: 'ping' });
  const timedOut = {
    ...compilerFailure(
      'Compiling this file or one before it took too long. Run the project again.',
    ),
    isStuck: true,
  };
  watchTimer = setTimeout(() => restartWorker(timedOut), timeoutMs);
}

/** Resolves all pending compilations with this output. The next file starts a new worker. */
function restartWorker(file: CompileOutput): void {
  clearTimeout(watchTimer);
  watchTimer = undefined;
  worker?.terminate();
  worker = undefined;
  isStarted = false;
  for (const settle of pending.values()) settle(file);
  pending.clear();
}

function send(request: CompileWorkerRequest): void {
  startCompileWorker();
  worker?.postMessage(request);
}

/** Main-thread compiler; undefined until it has loaded. */
let mainThread: typeof MainThread | undefined;
/** oxc module from the worker, kept until the main-thread compiler has loaded. */
let pendingTransform: CompiledTransform | undefined;

async function loadMainThread(): Promise<void> {
  if (mainThread) return;
  mainThread = await import('./compile-on-main-thread.ts');
  if (pendingTransform) setTransform(pendingTransform);
}

function setTransform(transform: CompiledTransform): void {
  // Without oxc on this thread, the worker goes on compiling TypeScript and JSX.
  if (mainThread) void mainThread.startMainThreadTransform(transform).catch(() => undefined);
  else pendingTransform = transform;
}

/** Creates the compiler of one preview. `files` are the initial files. */
export function createProjectCompiler(
  files: ProjectFiles,
  packages: PackageOptions,
  guardsLoops: boolean,
): ProjectCompiler {
  const preview = nextId++;
  const texts = toTexts(files);
  let projectConfig = readProjectConfig(texts);
  /** Compiler context; created when first needed and dropped when the settings change. */
  let context: ModuleContext | undefined;
  /** The worker that has this preview's settings and texts, and which of them. */
  let knownWorker: Worker | undefined;
  /**
   * Number of full export URLs in the settings that the worker has: the app adds URLs once it knows
   * them. Undefined if the worker doesn't have the current settings.
   */
  let sentUrlCount: number | undefined;
  /** Paths that changed since the worker was sent their texts; null for all. */
  let unsent: Set<string> | null = null;

  const syncWorker = () => {
    startCompileWorker();
    if (knownWorker !== worker) {
      knownWorker = worker;
      sentUrlCount = undefined;
      unsent = null;
    }
    const urlCount = packages.fullExportUrls.size;
    if (sentUrlCount !== urlCount)
      send({ type: 'context', preview, facts: projectConfig, packages, guardsLoops });
    sentUrlCount = urlCount;
    if (unsent?.size === 0) return;
    const paths = [...(unsent ?? texts.keys())];
    const changed = new Map<string, string>();
    for (const path of paths) {
      const text = texts.get(path);
      if (text !== undefined) changed.set(path, text);
    }
    const removed = paths.filter((path) => !texts.has(path));
    send({ type: 'texts', preview, changed, removed });
    unsent = new Set();
  };
  // Until the main-thread compiler has loaded, the worker compiles everything.
  const prepareForEdits = () => void loadMainThread().catch(() => undefined);
  return {
    prepareForEdits,
    changeFiles({ changed, removed }) {
      prepareForEdits();
      const changedTexts = toTexts(changed);
      const mayChange = mayChangeProjectConfig(texts, changedTexts, removed);
      for (const path of removed) texts.delete(path);
      for (const [path, text] of changedTexts) texts.set(path, text);
      for (const path of [...removed, ...changed.keys()]) unsent?.add(path);
      const nextConfig = mayChange ? readProjectConfig(texts) : projectConfig;
      if (isSameProjectConfig(projectConfig, nextConfig)) return false;
      projectConfig = nextConfig;
      context = undefined;
      sentUrlCount = undefined;
      return true;
    },
    compile(path, text) {
      context ??= mainThread && createModuleContext(projectConfig, packages, guardsLoops);
      const file = context && mainThread?.compileOnMainThread({ path, text }, context);
      if (file) return toCompileOutput(path, file);
      syncWorker();
      const id = nextId++;
      if (isStarted) watchTimer ??= setTimeout(pingWorker, pingEveryMs);
      send({ type: 'compile', preview, id, path, text });
      return new Promise((resolve) => pending.set(id, resolve));
    },
    close() {
      if (knownWorker && knownWorker === worker) send({ type: 'close', preview });
      knownWorker = undefined;
    },
  };
}

/** What the compiler reads of files: texts, and the paths of assets. */
function toTexts(files: ProjectFiles): Map<string, string> {
  const textOf = (file: ProjectFile) => (file.kind === 'text' ? file.text : '');
  return new Map(Array.from(files, ([path, file]) => [path, textOf(file)]));
}
