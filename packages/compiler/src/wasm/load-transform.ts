/**
 * oxc as WebAssembly, for a worker in the app's page.
 *
 * The published build wants shared memory, which browsers give only to pages that are isolated from
 * all other origins, and which previews, sign-in and images of other hosts would suffer from. It
 * needs the sharing for threads alone, and `transformSync` starts none. So one byte of the file is
 * changed before it is compiled: the flag that says that the imported memory is shared. The loader
 * of the package, which makes shared memory and workers, is not used for the same reason.
 */
import { instantiateNapiModuleSync } from '@emnapi/core';
import { asyncWork, tsfn } from '@emnapi/core/plugins';
import { createContext } from '@emnapi/runtime';
import { findMemoryImport } from './memory-import.ts';
import { createSystemCalls } from './system-calls.ts';
import { createTransform, type Oxc, type TransformScript } from '../transform-script.ts';

/** Loads the file from beside this script, where the build has put it. */
export async function fetchTransform(): Promise<TransformScript> {
  const file = new URL(
    '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm',
    import.meta.url,
  );
  const response = await fetch(file);
  if (!response.ok) throw new Error(`the compiler’s file was answered with ${response.status}`);
  return loadTransform(await response.arrayBuffer());
}

/** Compiles the file `transform.wasm32-wasi.wasm`, whose bytes are changed by it. */
export async function loadTransform(file: ArrayBuffer): Promise<TransformScript> {
  const bytes = new Uint8Array(file);
  const limits = findMemoryImport(bytes);
  bytes[limits.flagsAt] = limits.flags & ~sharedFlag;
  const memory = new WebAssembly.Memory({ initial: limits.initial, maximum: limits.maximum });
  return createTransform(parseExports(start(await WebAssembly.compile(bytes), memory)));
}

const sharedFlag = 2;

function start(module: WebAssembly.Module, memory: WebAssembly.Memory): unknown {
  const { napiModule } = instantiateNapiModuleSync(module, {
    context: createContext(),
    asyncWorkPoolSize: 0,
    plugins: [asyncWork, tsfn],
    wasi: createSystemCalls(memory),
    overwriteImports: (imports) => ({
      ...imports,
      env: { ...imports['env'], ...imports['napi'], ...imports['emnapi'], memory },
    }),
    beforeInit({ instance }) {
      for (const [name, value] of Object.entries(instance.exports))
        if (name.startsWith('__napi_register__') && typeof value === 'function') value();
    },
  });
  return napiModule.exports;
}

/** Versions of emnapi that do not fit the file leave the exports empty without a word. */
function parseExports(exports: unknown): Oxc {
  if (typeof exports !== 'object' || exports === null || !isOxc(exports))
    throw new Error('the WebAssembly build of oxc has no transformSync');
  return exports;
}

function isOxc(exports: object): exports is Oxc {
  return 'transformSync' in exports && typeof exports.transformSync === 'function';
}
