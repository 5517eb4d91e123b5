import type * as compiler from 'svelte/compiler';
import type * as earlierCompiler from 'svelte4/compiler';

/** Svelte's compiler, loaded with the first file that needs it. */
export type SvelteCompiler = typeof compiler;

/** The compilers of Svelte 3 and 4, as far as they are the same. */
export type EarlierSvelteCompiler = typeof earlierCompiler;

export function loadSvelteCompiler(): Promise<SvelteCompiler> {
  return import('svelte/compiler');
}

export function loadEarlierSvelteCompiler(major: 3 | 4): Promise<EarlierSvelteCompiler> {
  return major === 3 ? import('svelte3/compiler') : import('svelte4/compiler');
}

/** Options shared by `compile` and `compileModule`. Paths are relative to no folder. */
export function svelteOptions(path: string) {
  return { filename: path, rootDir: '', generate: 'client', dev: true } as const;
}
