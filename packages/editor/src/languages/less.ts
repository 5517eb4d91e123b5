import { less as lessSupport, lessLanguage } from '@codemirror/lang-less';
import { foldInside, foldNodeProp, LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { createStyleLanguage } from './css.ts';
import type { ProjectNames } from './class-and-id-names.ts';

const folding = lessLanguage.configure({
  props: [foldNodeProp.add({ 'Block KeyframeList': foldInside })],
});

export function less(names: ProjectNames): Extension {
  return createStyleLanguage(new LanguageSupport(folding, lessSupport().support), names);
}
