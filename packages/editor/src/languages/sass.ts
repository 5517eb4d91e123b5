import { sass as sassSupport, sassLanguage } from '@codemirror/lang-sass';
import { foldInside, foldNodeProp, LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { createStyleLanguage } from './css.ts';
import type { ProjectNames } from './class-and-id-names.ts';

const folding = sassLanguage.configure({
  props: [foldNodeProp.add({ 'Block KeyframeList': foldInside })],
});

/** SCSS, which is Sass with braces. */
export function sass(names: ProjectNames): Extension {
  return createStyleLanguage(new LanguageSupport(folding, sassSupport().support), names);
}
