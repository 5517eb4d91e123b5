import { svelte as svelteSupport } from '@replit/codemirror-lang-svelte';
import type { Extension } from '@codemirror/state';
import { closeComponentTags } from '../tag-closing.ts';

/** Svelte components: HTML with blocks and expressions, script and styles. */
export function svelte(): Extension {
  // Precedes the language's own handler, which swallows `>` if one of several cursors closes no
  // tag.
  return [closeComponentTags, svelteSupport()];
}
