import { listUnusedNames } from './markup-completions.ts';
import type { MarkupCompletion } from './messages.ts';
import type { MarkupFile } from './markup-file.ts';
import type { MarkupContext } from './services.ts';

const classAttribute = /\bclass(?:Name)?\s*=\s*(?:\{\s*)?["'`]([^"'`]*)$/;

/** Completes in scripts what markup and styles define: class names in JSX. */
export function completeInScript(
  { files }: MarkupContext,
  file: MarkupFile,
  offset: number,
): MarkupCompletion[] {
  const names = classAttribute.exec(file.text.slice(Math.max(0, offset - 1_000), offset))?.[1];
  if (names === undefined) return [];
  const word = /\S*$/.exec(names)?.[0] ?? '';
  const from = offset - word.length;
  return listUnusedNames('class', files, names).map((name) => ({
    name,
    type: 'class',
    rank: name,
    from,
  }));
}
