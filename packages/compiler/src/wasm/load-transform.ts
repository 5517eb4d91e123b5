/**
 * The WebAssembly build of oxc, for a worker in the app's page.
 *
 * The published build imports shared memory, which browsers allow only in cross-origin isolated
 * pages, and isolation would break previews, sign-in and images of other hosts. oxc needs shared
 * memory only for threads, and `transformSync` starts none. So one byte of the file is changed before
 * it is compiled: the flag that the imported memory is shared. The loader of the package, which
 * creates shared memory and workers, isn't used for the same reason.
 */
import { findMemoryImport } from './memory-import.ts';
import type { CompiledTransform } from './start-transform.ts';

/** Fetches and compiles the file, which the build has put next to this script. */
export async function fetchTransform(): Promise<CompiledTransform> {
  const file = new URL(
    '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm',
    import.meta.url,
  );
  const response = await fetch(file);
  if (!response.ok) throw new Error(`loading the compiler failed with status ${response.status}`);
  return compileTransform(await response.arrayBuffer());
}

/** Compiles the file `transform.wasm32-wasi.wasm`. Modifies the passed buffer. */
export async function compileTransform(file: ArrayBuffer): Promise<CompiledTransform> {
  const bytes = new Uint8Array(file);
  const { flagsAt, flags, initial, maximum } = findMemoryImport(bytes);
  bytes[flagsAt] = flags & ~sharedFlag;
  return { module: await WebAssembly.compile(bytes), memory: { initial, maximum } };
}

const sharedFlag = 2;
