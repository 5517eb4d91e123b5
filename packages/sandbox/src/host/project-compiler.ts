import {
  isSameFacts,
  readFacts,
  type CompiledFile,
  type PackageOptions,
  type ProjectFacts,
} from '@vitrine/compiler';

/** What the worker makes of a file: the code carries its map. */
export type Compiled = Omit<CompiledFile, 'map'> & {
  /** Of the map, for finding places. */
  mappings: string | undefined;
  /** The compiler itself failed: another try may do better. */
  isLost: boolean;
};

/** A file that runs as it is. */
export const passed: Compiled = {
  code: undefined,
  mappings: undefined,
  module: undefined,
  problems: [],
  missing: [],
  absent: [],
  reads: [],
  isLost: false,
};

/** A file that could not be compiled, through no fault of its own. */
export function lost(reason: string): Compiled {
  const sentence = `This file could not be compiled: ${reason}`;
  return { ...passed, problems: [{ sentence, line: 1, column: 1 }], isLost: true };
}

export type CompileRequest =
  /** What files of this preview are compiled within, from now on. */
  | { type: 'context'; preview: number; facts: ProjectFacts; packages: PackageOptions }
  /** What files can read, against what was sent before. */
  | { type: 'texts'; preview: number; changed: ReadonlyMap<string, string>; removed: string[] }
  | { type: 'compile'; preview: number; id: number; path: string; text: string }
  | { type: 'close'; preview: number };

export interface CompileAnswer {
  id: number;
  file: Compiled;
}

/** Compiles the files of one preview. */
export interface ProjectCompiler {
  /**
   * The project's files from now on. Whether something that every file is compiled within is another
   * now; who reads a text of another file is for the caller to know.
   */
  setFiles(files: ReadonlyMap<string, string>): boolean;
  compile(path: string, text: string): Promise<Compiled>;
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

export function startCompileWorker(): void {
  if (worker) return;
  worker = new Worker(new URL('./compile-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<CompileAnswer>) => {
    waiting.get(data.id)?.(data.file);
    waiting.delete(data.id);
  };
  // It could not be loaded: what waits is told, and the next file tries again.
  worker.onerror = () => {
    worker?.terminate();
    worker = undefined;
    for (const settle of waiting.values()) settle(lost('check the connection, and run it again.'));
    waiting.clear();
  };
}

function send(request: CompileRequest): void {
  startCompileWorker();
  worker?.postMessage(request);
}

/** `files` are those that the preview begins with. */
export function createProjectCompiler(
  files: ReadonlyMap<string, string>,
  packages: PackageOptions,
): ProjectCompiler {
  const preview = nextId++;
  let texts = new Map(files);
  let facts = readFacts(texts);
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
    if (!isContextTold) send({ type: 'context', preview, facts, packages });
    isContextTold = true;
    if (toldTexts === texts) return;
    const changed = new Map([...texts].filter(([path, text]) => toldTexts.get(path) !== text));
    const removed = [...toldTexts.keys()].filter((path) => !texts.has(path));
    send({ type: 'texts', preview, changed, removed });
    toldTexts = texts;
  };
  return {
    setFiles(next) {
      texts = new Map(next);
      const nextFacts = readFacts(texts);
      if (isSameFacts(facts, nextFacts)) return false;
      facts = nextFacts;
      isContextTold = false;
      return true;
    },
    compile(path, text) {
      tell();
      const id = nextId++;
      send({ type: 'compile', preview, id, path, text });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close() {
      if (told && told === worker) send({ type: 'close', preview });
      told = undefined;
    },
  };
}
