import { vue as vueSupport } from '@codemirror/lang-vue';
import type { Extension } from '@codemirror/state';
import { closeComponentTags, closeRawTextTags } from '../tag-closing.ts';

/** Vue single-file components: HTML with template expressions, script and styles. */
export function vue(): Extension {
  // HTML's own handler ignores tags that end in an attribute with an expression.
  return [vueSupport(), closeRawTextTags, closeComponentTags];
}
