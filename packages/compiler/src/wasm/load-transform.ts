/**
 * oxc as WebAssembly, for a worker in the app's page.
 *
 * The published build wants shared memory, which browsers give only to pages that are isolated from
 * all other origins, and which previews, sign-in and images of other hosts would suffer from. It
 * needs the sharing for threads alone, and `transformSync` starts none. So one byte of the file is
 * changed before it is compiled: the flag that says that the imported memory is shared. The loader
 * of the package, which makes shared memory and workers, is not used for the same reason.
 */
import { findMemoryImport } from './memory-import.ts';
import type { CompiledTransform } from './start-transform.ts';

/** Loads the file from beside this script, where the build has put it. */
export async function fetchTransform(): Promise<CompiledTransform> {
  const file = new URL(
    '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm',
    import.meta.url,
  );
  const response = await fetch(file);
  if (!response.ok) throw new Error(`the compiler’s file was answered with ${response.status}`);
  return compileTransform(await response.arrayBuffer());
}

/** Compiles the file `transform.wasm32-wasi.wasm`, whose bytes are changed by it. */
export async function compileTransform(file: ArrayBuffer): Promise<CompiledTransform> {
  const bytes = new Uint8Array(file);
  const { flagsAt, flags, initial, maximum } = findMemoryImport(bytes);
  bytes[flagsAt] = flags & ~sharedFlag;
  return { module: await WebAssembly.compile(bytes), memory: { initial, maximum } };
}

const sharedFlag = 2;
