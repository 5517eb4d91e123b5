import { markdown as markdownSupport, markdownLanguage } from '@codemirror/lang-markdown';
import type { Extension } from '@codemirror/state';

/** Markdown as GitHub writes it: with tables, task lists and strikethrough. */
export function markdown(): Extension {
  return markdownSupport({ base: markdownLanguage });
}
