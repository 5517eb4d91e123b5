import { svelte as svelteSupport } from '@replit/codemirror-lang-svelte';
import type { Extension } from '@codemirror/state';
import { closeSvelteTags } from '../closing-tags.ts';

/** Components of Svelte: HTML with its blocks, expressions, script and styles. */
export function svelte(): Extension {
  return [svelteSupport(), closeSvelteTags];
}
