/** Compiles `<style lang="scss">` and similar blocks to CSS before Svelte parses a component. */
import { blockStyleLanguages, compileBlockStyle, shiftPlace } from '../block-style.ts';
import type { SyntaxProblem } from '../check-script.ts';
import type { LanguageContext } from '../compile-file.ts';
import type { ModuleSource } from '../compile-module.ts';
import { positionAt } from '../instrument-html.ts';

/** Matches comments, which are skipped, and styles: group 1 is the tag, group 2 its content. */
const block = /<!--[\s\S]*?-->|(<style(?:\s[^>]*)?>)([\s\S]*?)<\/style>/g;

/** Replaces the style by CSS with the same number of lines. */
export async function replaceStyle(
  { path, text }: ModuleSource,
  context: LanguageContext,
): Promise<{ text: string; problems: SyntaxProblem[] }> {
  const found = [...text.matchAll(block)].find(([, tag]) => tag !== undefined);
  const [, tag = '', content = ''] = found ?? [];
  const language = /\slang\s*=\s*["']?([\w-]+)/.exec(tag)?.[1] ?? 'css';
  if (!found || language === 'css') return { text, problems: [] };
  const at = found.index + tag.length;
  const place = positionAt(text, at);
  if (!blockStyleLanguages.includes(language)) {
    const sentence = `Styles in “${language}” aren’t supported. Use “scss”, “less” or “css”.`;
    return { text, problems: [{ sentence, ...place }] };
  }
  const style = await compileBlockStyle(
    { path, text: content, language, isModule: false },
    context,
  );
  const lines = '\n'.repeat(content.split('\n').length - 1);
  const css = style.css.replaceAll('\n', ' ') + lines;
  return {
    text: text.slice(0, at) + css + text.slice(at + content.length),
    problems: style.problems.map((one) => shiftPlace(one, place)),
  };
}
