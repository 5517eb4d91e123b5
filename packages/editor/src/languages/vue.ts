import { vue as vueSupport } from '@codemirror/lang-vue';
import type { Extension } from '@codemirror/state';
import { closeRawTextTags } from '../tag-closing.ts';

/** Vue single-file components: HTML with template expressions, script and styles. */
export function vue(): Extension {
  return [vueSupport(), closeRawTextTags];
}
