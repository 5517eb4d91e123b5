import type * as compiler from 'svelte/compiler';

/** Svelte's compiler, loaded with the first file that needs it. */
export type SvelteCompiler = typeof compiler;

export function loadSvelteCompiler(): Promise<SvelteCompiler> {
  return import('svelte/compiler');
}

/** Options shared by `compile` and `compileModule`. Paths are relative to no folder. */
export function svelteOptions(path: string) {
  return { filename: path, rootDir: '', generate: 'client', dev: true } as const;
}
