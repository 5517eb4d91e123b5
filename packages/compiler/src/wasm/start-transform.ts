import { instantiateNapiModuleSync } from '@emnapi/core';
import { asyncWork, tsfn } from '@emnapi/core/plugins';
import { createContext } from '@emnapi/runtime';
import { createTransform, type Oxc, type TransformScript } from '../script/transform-script.ts';

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

/** The WASI (preview 1) functions that oxc imports, without files and environment. */
function createSystemCalls(memory: WebAssembly.Memory) {
  // Created for each call, since growing the memory replaces its buffer.
  const view = () => new DataView(memory.buffer);
  return {
    wasiImport: {
      random_get(at: number, length: number): number {
        crypto.getRandomValues(new Uint8Array(memory.buffer, at, length));
        return success;
      },
      environ_get: () => success,
      environ_sizes_get(countAt: number, sizeAt: number): number {
        view().setUint32(countAt, 0, true);
        view().setUint32(sizeAt, 0, true);
        return success;
      },
      clock_time_get(_clock: number, _precision: bigint, at: number): number {
        view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return success;
      },
      fd_write: () => badFile,
      sched_yield: () => success,
      proc_exit(code: number): never {
        throw new Error(`oxc ended with code ${code}`);
      },
    },
    initialize(instance: object): void {
      const { exports } = instance as WebAssembly.Instance;
      if (typeof exports['_initialize'] === 'function') exports['_initialize']();
    },
    start: () => 0,
  };
}

const success = 0;
/** WASI errno `badf`. */
const badFile = 8;
