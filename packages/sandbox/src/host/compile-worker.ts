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
  passed,
  type CompileAnswer,
  type CompileRequest,
  type Compiled,
} from './project-compiler.ts';

/** By preview; an entry goes when the preview closes. */
const contexts = new Map<number, ModuleContext>();

onmessage = ({ data }: MessageEvent<CompileRequest>) => {
  switch (data.type) {
    case 'context':
      contexts.set(data.preview, createModuleContext(data.facts, data.packages));
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
    const reason = error instanceof Error ? error.message : String(error);
    return failed(`This file could not be compiled: ${reason}`);
  }
}

function finish({ code, map, ...rest }: CompiledFile): Compiled {
  return {
    ...rest,
    code: code !== undefined && map ? withInlineMap(code, map) : code,
    mappings: map?.mappings,
  };
}

function failed(sentence: string): Compiled {
  return { ...passed, problems: [{ sentence, line: 1, column: 1 }] };
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
  const file = new URL(
    '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm',
    import.meta.url,
  );
  const [{ loadTransform }, response] = await Promise.all([
    import('@vitrine/compiler/wasm'),
    fetch(file),
  ]);
  if (!response.ok) throw new Error(`the compiler's file was answered with ${response.status}`);
  return loadTransform(await response.arrayBuffer());
}
