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
};

/** A file that runs as it is. */
export const passed: Compiled = {
  code: undefined,
  mappings: undefined,
  problems: [],
  missing: [],
  absent: [],
};

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
  let isTold = false;
  return {
    setFacts(next) {
      if (isSameFacts(facts, next)) return false;
      facts = next;
      isTold = false;
      return true;
    },
    compile(path, text) {
      if (!isTold) send({ type: 'context', preview, facts, packages });
      isTold = true;
      const id = nextId++;
      send({ type: 'compile', preview, id, path, text });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close() {
      if (isTold) send({ type: 'close', preview });
      isTold = false;
    },
  };
}
