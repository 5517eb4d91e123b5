import {
  blockStyleLanguages,
  compileBlockStyle,
  shiftDiagnostic,
} from '../component/block-style.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { getPosition } from '../page/instrument-html.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

/** Matches comments, which are skipped, and styles: group 1 is the tag, group 2 its content. */
const block = /<!--[\s\S]*?(?:-->|$)|(<style(?:\s[^<>]*)?>)([\s\S]*?)(?:<\/style>|$)/g;

/** Replaces the style of a Svelte component with CSS with the same number of lines. */
export async function compileStyleBlock(
  { path, text }: ModuleSource,
  context: LanguageContext,
): Promise<{ text: string; problems: CompileDiagnostic[] }> {
  const found = [...text.matchAll(block)].find(([, tag]) => tag !== undefined);
  const [, tag = '', content = ''] = found ?? [];
  const language = /\slang\s*=\s*["']?([\w-]+)/.exec(tag)?.[1] ?? 'css';
  if (!found || language === 'css') return { text, problems: [] };
  const at = found.index + tag.length;
  const location = getPosition(text, at);
  if (!blockStyleLanguages.includes(language)) {
    const message = `Styles in “${language}” aren’t supported. Use “scss”, “less”, or “css”.`;
    return { text, problems: [{ message, ...location }] };
  }
  const style = await compileBlockStyle(
    { path, text: content, language, isModule: false },
    context,
  );
  const lines = '\n'.repeat(content.split('\n').length - 1);
  const css = style.css.replaceAll('\n', ' ') + lines;
  return {
    text: text.slice(0, at) + css + text.slice(at + content.length),
    problems: style.problems.map((one) => shiftDiagnostic(one, location)),
  };
}
