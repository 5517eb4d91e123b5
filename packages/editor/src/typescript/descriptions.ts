import type ts from 'typescript';
import type { Understanding } from './answers.ts';
import type { At, Description, Signature } from './messages.ts';

/** What stands at a place. */
export function describe(
  { service, find }: Understanding,
  { path, offset }: At,
): Description | null {
  const file = find(path);
  const found = file && service.getQuickInfoAtPosition(file.fileName, offset);
  if (!found) return null;
  const { start, length } = found.textSpan;
  const code = codeOf(found.displayParts);
  // All that is known of a name that is not there.
  if (code === 'any') return null;
  return {
    code,
    text: textOf(found.documentation, found.tags),
    from: start,
    to: start + length,
  };
}

/** The call whose arguments are being written. */
export function findSignature(
  { service, find }: Understanding,
  { path, offset }: At,
): Signature | null {
  const file = find(path);
  const found = file && service.getSignatureHelpItems(file.fileName, offset, undefined);
  const item = found?.items[found.selectedItemIndex];
  if (!found || !item) return null;
  const active = item.isVariadic
    ? Math.min(found.argumentIndex, item.parameters.length - 1)
    : found.argumentIndex;
  const between = codeOf(item.separatorDisplayParts);
  const parameters = item.parameters.flatMap((parameter, index) => [
    ...(index > 0 ? [{ text: between, isActive: false }] : []),
    { text: codeOf(parameter.displayParts), isActive: index === active },
  ]);
  const explained = item.parameters[active];
  return {
    parts: [
      { text: codeOf(item.prefixDisplayParts), isActive: false },
      ...parameters,
      { text: codeOf(item.suffixDisplayParts), isActive: false },
    ],
    text: codeOf(explained?.documentation) || textOf(item.documentation, []),
    index: found.selectedItemIndex + 1,
    count: found.items.length,
    from: found.applicableSpan.start,
  };
}

export function codeOf(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? []).map(({ text }) => text).join('');
}

/** Documentation as its authors wrote it, in Markdown, its tags as VS Code shows them. */
export function textOf(
  documentation: readonly ts.SymbolDisplayPart[] | undefined,
  tags: readonly ts.JSDocTagInfo[] | undefined,
): string {
  return [codeOf(documentation), ...(tags ?? []).map(showTag)]
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * `@param n to this` → "*@param* `n` — to this"; `@returns the sum` → "*@returns* — the sum". An
 * example begins on a line of its own.
 */
function showTag({ name, text: parts = [] }: ts.JSDocTagInfo): string {
  const tag = `*@${name}*`;
  const text = codeOf(parts).trim();
  if (text === '') return tag;
  if (name === 'example') return `${tag}\n${/```/.test(text) ? text : `\`\`\`\n${text}\n\`\`\``}`;
  const [, about, rest = ''] = (isAboutName.test(name) && /^(\S+)[\s—–-]*([^]*)$/.exec(text)) || [];
  const words = about === undefined ? text : rest;
  return [tag, about && ` \`${about}\``, words && ` — ${words}`].join('');
}

/** Tags that begin with the name of what they are about. */
const isAboutName = /^(?:param|arg|argument|template|typeparam|prop|property)$/;
