import { vue as vueSupport } from '@codemirror/lang-vue';
import type { Extension } from '@codemirror/state';
import { closeRawTags } from '../closing-tags.ts';

/** Vue single-file components: HTML with template expressions, script and styles. */
export function vue(): Extension {
  return [vueSupport(), closeRawTags];
}
