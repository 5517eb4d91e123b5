import type { Hover } from 'vscode-css-languageservice';
import type { At, Description } from '../typescript/messages.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';
import { nameAt } from './places.ts';

/** What stands at a place: a tag, an attribute, a property, a selector, a custom property's value. */
export function describe(known: Known, { path, offset }: At): Description | null {
  const file = known.files.find(path);
  if (!file) return null;
  return describeProperty(known, file, offset) ?? describeByService(known, file, offset);
}

function describeProperty({ files }: Known, file: ReadFile, offset: number): Description | null {
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

function describeByService(known: Known, file: ReadFile, offset: number): Description | null {
  const style = file.styleAt(offset);
  if (style) {
    const { dialect, document, sheet } = style;
    const service = known.styles[dialect];
    const found = service.doHover(document, document.positionAt(offset), sheet);
    return found && toDescription(found, (position) => document.offsetAt(position), offset);
  }
  if (!file.isMarkup || file.regionAt(offset)) return null;
  const { document, tree } = file.markup;
  const found = known.markupOf(file).doHover(document, document.positionAt(offset), tree);
  return found && toDescription(found, (position) => document.offsetAt(position), offset);
}

function toDescription(
  { contents, range }: Hover,
  offsetAt: (position: { line: number; character: number }) => number,
  offset: number,
): Description | null {
  const parts = (Array.isArray(contents) ? contents : [contents]).map((part) =>
    typeof part === 'string' ? part : part.value,
  );
  // A selector comes as the element that it stands for, and its specificity.
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
