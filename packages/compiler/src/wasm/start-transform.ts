import { instantiateNapiModuleSync } from '@emnapi/core';
import { asyncWork, tsfn } from '@emnapi/core/plugins';
import { createContext } from '@emnapi/runtime';
import { createSystemCalls } from './system-calls.ts';
import { createTransform, type Oxc, type TransformScript } from '../transform-script.ts';

/** The compiled oxc module. It can be posted to other threads, and each starts its own transform. */
export interface CompiledTransform {
  readonly module: WebAssembly.Module;
  /** The memory it imports, in pages of 64 KiB. */
  readonly memory: { readonly initial: number; readonly maximum: number };
}

/**
 * Starts a transform with its own memory. After it has thrown, its memory may be corrupt and a new
 * transform has to be started.
 */
export function startTransform({ module, memory }: CompiledTransform): TransformScript {
  return createTransform(parseExports(start(module, new WebAssembly.Memory(memory))));
}

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

/** Checks the exports, which incompatible versions of emnapi leave empty without an error. */
function parseExports(exports: unknown): Oxc {
  if (typeof exports !== 'object' || exports === null || !isOxc(exports))
    throw new Error('the WebAssembly build of oxc has no transformSync');
  return exports;
}

function isOxc(exports: object): exports is Oxc {
  return 'transformSync' in exports && typeof exports.transformSync === 'function';
}
