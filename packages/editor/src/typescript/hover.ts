import type ts from 'typescript';
import type { FilePosition, Hover, Signature } from './messages.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/** Finds the type and documentation of the name at an offset. */
export function findScriptHover(
  { service, findSourceFile }: TypeScriptContext,
  { path, offset }: FilePosition,
): Hover | null {
  const file = findSourceFile(path);
  const found = file && service.getQuickInfoAtPosition(file.fileName, offset);
  if (!found) return null;
  const { start, length } = found.textSpan;
  const code = joinDisplayParts(found.displayParts);
  // TypeScript says `any` for a name that does not exist.
  if (code === 'any') return null;
  return {
    code,
    text: formatDocumentation(found.documentation, found.tags),
    from: start,
    to: start + length,
  };
}

/** Finds the signature of the call whose arguments contain the offset. */
export function findSignature(
  { service, findSourceFile }: TypeScriptContext,
  { path, offset }: FilePosition,
): Signature | null {
  const file = findSourceFile(path);
  const found = file && service.getSignatureHelpItems(file.fileName, offset, undefined);
  const item = found?.items[found.selectedItemIndex];
  if (!found || !item) return null;
  const active = item.isVariadic
    ? Math.min(found.argumentIndex, item.parameters.length - 1)
    : found.argumentIndex;
  const separator = joinDisplayParts(item.separatorDisplayParts);
  const parameters = item.parameters.flatMap((parameter, index) => [
    ...(index > 0 ? [{ text: separator, isActive: false }] : []),
    { text: joinDisplayParts(parameter.displayParts), isActive: index === active },
  ]);
  const activeParameter = item.parameters[active];
  return {
    parts: [
      { text: joinDisplayParts(item.prefixDisplayParts), isActive: false },
      ...parameters,
      { text: joinDisplayParts(item.suffixDisplayParts), isActive: false },
    ],
    text:
      joinDisplayParts(activeParameter?.documentation) ||
      formatDocumentation(item.documentation, []),
    index: found.selectedItemIndex + 1,
    count: found.items.length,
    from: found.applicableSpan.start,
  };
}

/** Joins display parts to plain text. */
export function joinDisplayParts(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? []).map(({ text }) => text).join('');
}

/** Documentation as Markdown, with its tags formatted as in VS Code. */
export function formatDocumentation(
  documentation: readonly ts.SymbolDisplayPart[] | undefined,
  tags: readonly ts.JSDocTagInfo[] | undefined,
): string {
  return [joinDisplayParts(documentation), ...(tags ?? []).map(formatTag)]
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * Formats a JSDoc tag as VS Code does: `@param n to this` → "*@param* `n` — to this"; `@returns the
 * sum` → "*@returns* — the sum". An example starts on a line of its own.
 */
function formatTag({ name, text: parts = [] }: ts.JSDocTagInfo): string {
  const tag = `*@${name}*`;
  const text = joinDisplayParts(parts).trim();
  if (text === '') return tag;
  if (name === 'example') return `${tag}\n${/```/.test(text) ? text : `\`\`\`\n${text}\n\`\`\``}`;
  const [, target, rest = ''] = (namedTags.test(name) && /^(\S+)[\s—–-]*([^]*)$/.exec(text)) || [];
  const description = target === undefined ? text : rest;
  return [tag, target && ` \`${target}\``, description && ` — ${description}`].join('');
}

/** Tags that begin with the name of what they document. */
const namedTags = /^(?:param|arg|argument|template|typeparam|prop|property)$/;
