import type { Hover } from 'vscode-css-languageservice';
import type { At, Description } from '../typescript/messages.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';
import { nameAt } from './places.ts';

/**
 * Finds documentation of a tag, attribute, property or selector, or the values of a custom
 * property.
 */
export function describe(context: Known, { path, offset }: At): Description | null {
  const file = context.files.find(path);
  if (!file) return null;
  return findCustomPropertyHover(context, file, offset) ?? findServiceHover(context, file, offset);
}

function findCustomPropertyHover(
  { files }: Known,
  file: ReadFile,
  offset: number,
): Description | null {
  const name = nameAt(file, offset);
  if (name?.kind !== 'property') return null;
  const sources = [...files.names('property', name.name)].filter(({ isSource }) => isSource);
  const lines = sources.map(({ value, file: of }) => `${value ?? ''}  /* ${of.path} */`);
  if (lines.length === 0) return null;
  return {
    code: lines.map((line) => `${name.name}: ${line}`).join('\n'),
    text: '',
    from: name.from,
    to: name.to,
  };
}

function findServiceHover(context: Known, file: ReadFile, offset: number): Description | null {
  const style = file.styleAt(offset);
  if (style) {
    const { dialect, document, sheet } = style;
    const service = context.styles[dialect];
    const hover = service.doHover(document, document.positionAt(offset), sheet);
    return hover && toHover(hover, (position) => document.offsetAt(position), offset);
  }
  if (!file.isMarkup || file.regionAt(offset)) return null;
  const { document, tree } = file.markup;
  const hover = context.markupOf(file).doHover(document, document.positionAt(offset), tree);
  return hover && toHover(hover, (position) => document.offsetAt(position), offset);
}

function toHover(
  { contents, range }: Hover,
  offsetAt: (position: { line: number; character: number }) => number,
  offset: number,
): Description | null {
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
