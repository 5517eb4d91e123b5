import { vue as vueSupport } from '@codemirror/lang-vue';
import type { Extension } from '@codemirror/state';
import { closeRawTags } from '../closing-tags.ts';

/** Components of Vue: HTML with the script, the styles and the expressions of the template in it. */
export function vue(): Extension {
  return [vueSupport(), closeRawTags];
}
