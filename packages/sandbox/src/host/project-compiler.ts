import {
  createModuleContext,
  isSameFacts,
  readFacts,
  renewFacts,
  withInlineMap,
  type CompiledFile,
  type ModuleContext,
  type PackageOptions,
  type ProjectFacts,
} from '@vitrine/compiler';
import type { CompiledTransform } from '@vitrine/compiler/wasm/start';
import type * as Prompt from './compile-promptly.ts';

/** What the worker makes of a file: the code carries its map. */
export type Compiled = Omit<CompiledFile, 'map'> & {
  /** Of the map, for finding places. */
  mappings: string | undefined;
  /** The compiler itself failed: another try may do better. */
  isLost: boolean;
  /** It took too long, as another try would do as a rule: only a person asks for one. */
  isStuck?: boolean;
};

/** A file that runs as it is. */
export const passed: Compiled = {
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

/** With its map within it, where it has one. */
export function finish(path: string, { code, map, ...rest }: CompiledFile): Compiled {
  return {
    ...rest,
    code: code !== undefined && map ? withInlineMap(path, code, map) : code,
    mappings: map?.mappings,
    isLost: false,
  };
}

/** A file that could not be compiled, through no fault of its own. */
export function lost(reason: string): Compiled {
  const sentence = `Couldn’t compile this file: ${reason}`;
  return { ...passed, problems: [{ sentence, line: 1, column: 1 }], isLost: true };
}

export type CompileRequest =
  /** What files of this preview are compiled within, from now on. */
  | {
      type: 'context';
      preview: number;
      facts: ProjectFacts;
      packages: PackageOptions;
      guardsLoops: boolean;
    }
  /** What files can read, against what was sent before. */
  | { type: 'texts'; preview: number; changed: ReadonlyMap<string, string>; removed: string[] }
  | { type: 'compile'; preview: number; id: number; path: string; text: string }
  | { type: 'close'; preview: number }
  /** Say that nothing holds you up. */
  | { type: 'ping' };

export type CompileAnswer =
  | { type: 'compiled'; id: number; file: Compiled }
  /** What it compiles TypeScript and JSX with, before the first file that it does so for. */
  | { type: 'transform'; transform: CompiledTransform }
  /** It has started, or hears. */
  | { type: 'alive' };

/** Compiles the files of one preview. */
export interface ProjectCompiler {
  /**
   * The project's files from now on. Whether something that every file is compiled within is another
   * now; who reads a text of another file is for the caller to know.
   */
  setFiles(files: ReadonlyMap<string, string>): boolean;
  /** At once where that takes less time than asking the worker. */
  compile(path: string, text: string): Compiled | Promise<Compiled>;
  close(): void;
}

/**
 * One worker for all previews of the page: compiling a large script takes longer than a frame, and
 * must not be in the way of typing. It starts with the first preview and stays.
 */
let worker: Worker | undefined;
let nextId = 1;
/** Files on their way, by id; an entry goes when its answer comes. */
const waiting = new Map<number, (file: Compiled) => void>();

/** A worker that does not hear for so long is in a loop, such as a stylesheet can hold. */
const patienceMs = 5_000;
const askEveryMs = 500;
/** Before it has started it is the network that may take its time. */
let isStarted = false;
/** Until the worker is asked again, or given up; undefined while nothing waits. */
let watchTimer: ReturnType<typeof setTimeout> | undefined;

export function startCompileWorker(): void {
  if (worker) return;
  worker = new Worker(new URL('./compile-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<CompileAnswer>) => {
    isStarted = true;
    clearTimeout(watchTimer);
    watchTimer = setTimeout(watch, askEveryMs);
    if (data.type === 'alive') return;
    if (data.type === 'transform') return offerTransform(data.transform);
    waiting.get(data.id)?.(data.file);
    waiting.delete(data.id);
  };
  // It could not be loaded.
  worker.onerror = () => giveUp(lost('check the connection, and run it again.'));
}

function watch(): void {
  watchTimer = undefined;
  if (waiting.size === 0) return;
  send({ type: 'ping' });
  const stuck = { ...lost('it, or one before it, took too long.'), isStuck: true };
  watchTimer = setTimeout(() => giveUp(stuck), patienceMs);
}

/** What waits is told, and the next file tries again. */
function giveUp(file: Compiled): void {
  clearTimeout(watchTimer);
  watchTimer = undefined;
  worker?.terminate();
  worker = undefined;
  isStarted = false;
  for (const settle of waiting.values()) settle(file);
  waiting.clear();
}

function send(request: CompileRequest): void {
  startCompileWorker();
  worker?.postMessage(request);
}

/** There once it is loaded, behind the first edit. */
let prompt: typeof Prompt | undefined;
/** The worker's, for it. */
let offered: CompiledTransform | undefined;

async function loadPrompt(): Promise<void> {
  prompt = await import('./compile-promptly.ts');
  if (offered) offerTransform(offered);
}

function offerTransform(transform: CompiledTransform): void {
  // Without it the worker goes on compiling these.
  if (prompt) void prompt.transformPromptly(transform).catch(() => undefined);
  else offered = transform;
}

/** `files` are those that the preview begins with. */
export function createProjectCompiler(
  files: ReadonlyMap<string, string>,
  packages: PackageOptions,
  guardsLoops: boolean,
): ProjectCompiler {
  const preview = nextId++;
  let texts = new Map(files);
  let facts = readFacts(texts);
  /** Made when it is first needed, from the facts of then. */
  let context: ModuleContext | undefined;
  /** The worker that knows this preview, and what of it. */
  let told: Worker | undefined;
  let isContextTold = false;
  let toldTexts: ReadonlyMap<string, string> = new Map();

  const tell = () => {
    startCompileWorker();
    if (told !== worker) {
      told = worker;
      isContextTold = false;
      toldTexts = new Map();
    }
    if (!isContextTold) send({ type: 'context', preview, facts, packages, guardsLoops });
    isContextTold = true;
    if (toldTexts === texts) return;
    const changed = new Map([...texts].filter(([path, text]) => toldTexts.get(path) !== text));
    const removed = [...toldTexts.keys()].filter((path) => !texts.has(path));
    send({ type: 'texts', preview, changed, removed });
    toldTexts = texts;
  };
  return {
    setFiles(next) {
      // Without it the worker compiles everything.
      if (!prompt) void loadPrompt().catch(() => undefined);
      const nextFacts = renewFacts(facts, texts, next);
      texts = new Map(next);
      if (isSameFacts(facts, nextFacts)) return false;
      facts = nextFacts;
      context = undefined;
      isContextTold = false;
      return true;
    },
    compile(path, text) {
      context ??= prompt && createModuleContext(facts, packages, guardsLoops);
      const file = context && prompt?.compilePromptly({ path, text }, context);
      if (file) return finish(path, file);
      tell();
      const id = nextId++;
      if (isStarted) watchTimer ??= setTimeout(watch, askEveryMs);
      send({ type: 'compile', preview, id, path, text });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close() {
      if (told && told === worker) send({ type: 'close', preview });
      told = undefined;
    },
  };
}
