import {
  isSameFacts,
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
  problems: [],
  missing: [],
  absent: [],
  imports: [],
  hot: undefined,
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
  | { type: 'compile'; preview: number; id: number; path: string; text: string }
  | { type: 'close'; preview: number };

export interface CompileAnswer {
  id: number;
  file: Compiled;
}

/** Compiles the files of one preview. */
export interface ProjectCompiler {
  /** Whether files that were compiled before may come out differently now. */
  setFacts(facts: ProjectFacts): boolean;
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

/** `facts` are those of the files that the preview begins with. */
export function createProjectCompiler(
  facts: ProjectFacts,
  packages: PackageOptions,
): ProjectCompiler {
  const preview = nextId++;
  /** The worker that knows the facts. */
  let told: Worker | undefined;
  return {
    setFacts(next) {
      if (isSameFacts(facts, next)) return false;
      facts = next;
      told = undefined;
      return true;
    },
    compile(path, text) {
      if (!told || told !== worker) send({ type: 'context', preview, facts, packages });
      told = worker;
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
