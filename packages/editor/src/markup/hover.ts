import type { Hover as ServiceHover } from 'vscode-css-languageservice';
import type { FilePosition, Hover } from '../typescript/messages.ts';
import type { MarkupFile } from './markup-file.ts';
import type { MarkupContext } from './services.ts';
import { findNameAt } from './navigation.ts';

/**
 * Finds documentation of a tag, attribute, property or selector, or the values of a custom
 * property.
 */
export function findMarkupHover(
  context: MarkupContext,
  { path, offset }: FilePosition,
): Hover | null {
  const file = context.files.find(path);
  if (!file) return null;
  return findCustomPropertyHover(context, file, offset) ?? findServiceHover(context, file, offset);
}

function findCustomPropertyHover(
  { files }: MarkupContext,
  file: MarkupFile,
  offset: number,
): Hover | null {
  const name = findNameAt(file, offset);
  if (name?.kind !== 'property') return null;
  const sources = [...files.findNames('property', name.name)].filter(
    ({ isDefinition }) => isDefinition,
  );
  const lines = sources.map(({ value, file: of }) => `${value ?? ''}  /* ${of.path} */`);
  if (lines.length === 0) return null;
  return {
    code: lines.map((line) => `${name.name}: ${line}`).join('\n'),
    text: '',
    from: name.from,
    to: name.to,
  };
}

function findServiceHover(context: MarkupContext, file: MarkupFile, offset: number): Hover | null {
  const style = file.findStyleAt(offset);
  if (style) {
    const { dialect, document, sheet } = style;
    const service = context.styleServices[dialect];
    const hover = service.doHover(document, document.positionAt(offset), sheet);
    return hover && toHover(hover, (position) => document.offsetAt(position), offset);
  }
  if (!file.isMarkup || file.findRegionAt(offset)) return null;
  const { document, tree } = file.markup;
  const hover = context.getHtmlService(file).doHover(document, document.positionAt(offset), tree);
  return hover && toHover(hover, (position) => document.offsetAt(position), offset);
}

function toHover(
  { contents, range }: ServiceHover,
  offsetAt: (position: { line: number; character: number }) => number,
  offset: number,
): Hover | null {
  const parts = (Array.isArray(contents) ? contents : [contents]).map((part) =>
    typeof part === 'string' ? part : part.value,
  );
  // The hover of a selector has two parts: a matching element and the specificity.
  const [first = '', ...rest] = parts.filter((part) => part.trim() !== '');
  if (first === '') return null;
  const isElement = rest.length > 0;
  return {
    code: isElement ? first : '',
    text: (isElement ? rest : [first]).join('\n\n').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1'),
    from: range ? offsetAt(range.start) : offset,
    to: range ? offsetAt(range.end) : offset,
  };
}
