/**
 * Compiles files for the previews of a page, away from its thread. oxc, which is large, is loaded
 * with the first file that needs it.
 */
import {
  compileModule,
  compilePage,
  createModuleContext,
  isScriptPath,
  needsTransform,
  withInlineMap,
  type CompiledFile,
  type ModuleContext,
  type TransformScript,
} from '@vitrine/compiler';
import {
  lost,
  type CompileAnswer,
  type CompileRequest,
  type Compiled,
} from './project-compiler.ts';

/** By preview; an entry goes when the preview closes. */
const contexts = new Map<number, ModuleContext>();

onmessage = ({ data }: MessageEvent<CompileRequest>) => {
  switch (data.type) {
    case 'context':
      contexts.set(data.preview, createModuleContext(data.facts, data.packages, data.guardsLoops));
      break;
    case 'compile': {
      const context = contexts.get(data.preview);
      if (context)
        void compile(data.path, data.text, context).then((file) => answer(data.id, file));
      break;
    }
    case 'close':
      contexts.delete(data.preview);
      break;
  }
};

function answer(id: number, file: Compiled): void {
  const message: CompileAnswer = { id, file };
  postMessage(message);
}

/** An edge: whatever the compiler throws becomes a problem of the file. */
async function compile(path: string, text: string, context: ModuleContext): Promise<Compiled> {
  try {
    if (!isScriptPath(path)) return finish(compilePage({ path, text }, context));
    const transform = needsTransform({ path, text }) ? await loadOxc() : undefined;
    return finish(compileModule({ path, text }, context, transform));
  } catch (error) {
    // After a trap its memory cannot be relied on.
    if (error instanceof WebAssembly.RuntimeError) oxc = undefined;
    return lost(error instanceof Error ? error.message : String(error));
  }
}

function finish({ code, map, ...rest }: CompiledFile): Compiled {
  return {
    ...rest,
    code: code !== undefined && map ? withInlineMap(code, map) : code,
    mappings: map?.mappings,
    isLost: false,
  };
}

let oxc: Promise<TransformScript> | undefined;

function loadOxc(): Promise<TransformScript> {
  oxc ??= fetchOxc().catch((error: unknown) => {
    oxc = undefined;
    throw error;
  });
  return oxc;
}

async function fetchOxc(): Promise<TransformScript> {
  return (await import('@vitrine/compiler/wasm')).fetchTransform();
}
