import type * as compiler from 'svelte/compiler';

/** Svelte's compiler, loaded with the first file that needs it. */
export type SvelteCompiler = typeof compiler;

export function loadSvelteCompiler(): Promise<SvelteCompiler> {
  return import('svelte/compiler');
}

/** What its two functions are told alike: there is no folder that paths begin in. */
export function svelteOptions(path: string) {
  return { filename: path, rootDir: '', generate: 'client', dev: true } as const;
}
