/**
 * Web worker that compiles files for all previews of a page. The compiler of a language is loaded with
 * the first file that needs it.
 */
import {
  compileFile,
  createModuleContext,
  type CompilerLoaders,
  type ModuleContext,
} from '@vitrine/compiler';
import { isLoadFailure } from '@vitrine/project';
import {
  toCompileOutput,
  compilerFailure,
  passthroughOutput,
  type CompileWorkerResponse,
  type CompileWorkerRequest,
  type CompileOutput,
} from './project-compiler.ts';

/** Compiler context and file texts of each preview. An entry is removed when its preview closes. */
const previews = new Map<number, { context: ModuleContext; texts: Map<string, string> }>();

onmessage = ({ data }: MessageEvent<CompileWorkerRequest>) => {
  if (data.type === 'ping') return answer({ type: 'alive' });
  const preview = previews.get(data.preview);
  switch (data.type) {
    case 'context': {
      const context = createModuleContext(data.facts, data.packages, data.guardsLoops);
      previews.set(data.preview, { context, texts: preview?.texts ?? new Map() });
      break;
    }
    case 'texts':
      for (const path of data.removed) preview?.texts.delete(path);
      for (const [path, text] of data.changed) preview?.texts.set(path, text);
      break;
    case 'compile':
      if (preview)
        void compile(data.path, data.text, preview.context, preview.texts).then((file) =>
          answer({ type: 'compiled', id: data.id, file }),
        );
      break;
    case 'close':
      previews.delete(data.preview);
      break;
  }
};

answer({ type: 'alive' });

function answer(message: CompileWorkerResponse): void {
  postMessage(message);
}

const oxc = loadOnce(async () => {
  const [{ fetchTransform }, { startTransform }] = await Promise.all([
    import('@vitrine/compiler/wasm'),
    import('@vitrine/compiler/wasm/start'),
  ]);
  const transform = await fetchTransform();
  // Firefox keeps WebAssembly from pages whose own policy forbids it, and logs an error.
  if (!navigator.userAgent.includes('Firefox/')) answer({ type: 'transform', transform });
  return startTransform(transform);
});
const tailwind = loadOnce(async () =>
  (await import('@vitrine/compiler/wasm/tailwind')).fetchTailwindSheets(),
);
const parts: CompilerLoaders = { loadTransform: oxc.get, loadTailwindSheets: tailwind.get };

const tooDeep = {
  message: 'This code is nested too deeply to be compiled.',
  line: 1,
  column: 1,
};

/** Compiles one file. Any error of the compiler becomes a diagnostic of the file. */
async function compile(
  path: string,
  text: string,
  context: ModuleContext,
  texts: ReadonlyMap<string, string>,
): Promise<CompileOutput> {
  try {
    return toCompileOutput(path, await compileFile({ path, text }, context, texts, parts));
  } catch (error) {
    if (isStackOverflow(error)) {
      // The instance's memory can't be trusted any more.
      oxc.drop();
      return { ...passthroughOutput, problems: [tooDeep] };
    }
    if (isLoadFailure(error)) answer({ type: 'load-failed' });
    const reason = error instanceof Error ? error.message : String(error);
    return compilerFailure(`Couldn’t compile this file: ${reason}`);
  }
}

/**
 * Whether a compiler in JavaScript or WebAssembly overflowed its stack. In Firefox that's an
 * `InternalError`; compilers in WebAssembly have a stack of their own, too, and trap.
 */
function isStackOverflow(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    error instanceof WebAssembly.RuntimeError ||
    (error instanceof Error && error.name === 'InternalError')
  );
}

/** Loads a part once. After a failure or `drop`, the next `get` loads it again. */
function loadOnce<Part>(load: () => Promise<Part>): { get(): Promise<Part>; drop(): void } {
  let part: Promise<Part> | undefined;
  const drop = () => (part = undefined);
  const get = () => {
    part ??= load().catch((error: unknown) => {
      drop();
      throw error;
    });
    return part;
  };
  return { get, drop };
}
