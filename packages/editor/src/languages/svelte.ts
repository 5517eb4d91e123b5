import { svelte as svelteSupport } from '@replit/codemirror-lang-svelte';
import type { Extension } from '@codemirror/state';
import { closeSvelteTags } from '../closing-tags.ts';

/** Components of Svelte: HTML with its blocks, expressions, script and styles. */
export function svelte(): Extension {
  // In front of the language's own, which takes `>` away where one of several cursors closes no tag.
  return [closeSvelteTags, svelteSupport()];
}
