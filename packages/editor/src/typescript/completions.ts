import ts from 'typescript';
import type { Understanding } from './answers.ts';
import { markDeprecated } from './comments.ts';
import { codeOf, textOf } from './descriptions.ts';
import type { Asked, CompletionDetail, CompletionEntry, CompletionList } from './messages.ts';
import { format, preferencesFor } from './preferences.ts';
import { toEditsOf } from './text-edits.ts';

/** More than anyone reads; what is left out comes with the next letter. */
const entriesMax = 200;

/** What can stand here, as far as it fits the letters before the cursor. */
export function listCompletions(
  { host, service, find }: Understanding,
  { path, offset, isExplicit }: Asked['completions'],
): CompletionList | null {
  const file = find(path);
  if (!file) return null;
  const word =
    /[\w$\u0080-\uffff]*$/.exec(file.text.slice(Math.max(0, offset - 200), offset))?.[0] ?? '';
  const from = offset - word.length;
  const before = file.text[from - 1] ?? '';
  if (!isExplicit && word === '' && !/[.'"`/@<#]/.test(before)) return null;
  markDeprecated();
  const found = service.getCompletionsAtPosition(
    file.fileName,
    offset,
    preferencesFor(file),
    format,
  );
  // Where any name may be made up, as after "const", only who asks is answered.
  if (!found || (found.isNewIdentifierLocation && !isExplicit && word === '' && before !== '.'))
    return null;
  const canImport = host.canImport(path);
  const fitting = found.entries.filter(
    (entry) => fits(entry, word, isExplicit) && (canImport || entry.source === undefined),
  );
  const sorted = fitting
    .map((entry) => ({ entry, closeness: rateCloseness(entry.name, word) }))
    .toSorted((a, b) => a.closeness - b.closeness || compare(a.entry.sortText, b.entry.sortText));
  return {
    from: found.optionalReplacementSpan?.start ?? from,
    isComplete: sorted.length <= entriesMax && word !== '',
    entries: sorted.slice(0, entriesMax).map(({ entry }) => toEntry(entry)),
  };
}

/** What a completion is, and the import that it needs. */
export function describeCompletion(
  { host, service, find }: Understanding,
  { path, offset, name, origin }: Asked['completion'],
): CompletionDetail | null {
  const file = find(path);
  if (!file) return null;
  const details = service.getCompletionEntryDetails(
    file.fileName,
    offset,
    name,
    format,
    origin?.source,
    preferencesFor(file),
    origin?.data ? toData(origin.data) : undefined,
  );
  if (!details) return null;
  const changes = (details.codeActions ?? []).flatMap((action) => action.changes);
  const own = changes.filter((change) => change.fileName === file.fileName);
  return {
    code: codeOf(details.displayParts),
    text: textOf(details.documentation, details.tags),
    edits: own.flatMap((change) => toEditsOf(change, host).edits),
  };
}

/** It was made by the language service, and has only been to the page and back. */
function toData(data: object): ts.CompletionEntryData | undefined {
  return 'exportName' in data ? (data as ts.CompletionEntryData) : undefined;
}

function fits(
  { name, kind, sortText }: ts.CompletionEntry,
  word: string,
  isExplicit: boolean,
): boolean {
  if (kind === ts.ScriptElementKind.warning) return false;
  // What would have to be imported is offered to who has begun to write it.
  if (word === '') return isExplicit || !sortText.startsWith('16');
  return rateCloseness(name, word) < 3;
}

/** 0: begins with the letters; 1: but for case; 2: has them in order, the first at its beginning; 3: neither. */
function rateCloseness(name: string, word: string): number {
  if (name.startsWith(word)) return 0;
  const lower = name.toLowerCase();
  const letters = word.toLowerCase();
  if (lower.startsWith(letters)) return 1;
  if (lower[0] !== letters[0] && !name.includes(word)) return 3;
  let at = 0;
  for (const letter of letters) {
    at = lower.indexOf(letter, at) + 1;
    if (at === 0) return 3;
  }
  return 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toEntry(entry: ts.CompletionEntry): CompletionEntry {
  const { name, kind, kindModifiers, sortText, insertText, replacementSpan, source, data } = entry;
  return {
    name,
    type: types.get(kind) ?? 'variable',
    rank: sortText,
    ...(insertText !== undefined && insertText !== name && { insert: insertText }),
    ...(replacementSpan && {
      from: replacementSpan.start,
      to: replacementSpan.start + replacementSpan.length,
    }),
    ...(source !== undefined && { origin: { source, data: data ?? null } }),
    ...(kindModifiers?.includes('deprecated') === true && { isDeprecated: true }),
  };
}

/** TypeScript's kinds → those that the editor has marks for. */
const types = new Map<string, string>([
  [ts.ScriptElementKind.functionElement, 'function'],
  [ts.ScriptElementKind.localFunctionElement, 'function'],
  [ts.ScriptElementKind.memberFunctionElement, 'method'],
  [ts.ScriptElementKind.memberVariableElement, 'property'],
  [ts.ScriptElementKind.memberGetAccessorElement, 'property'],
  [ts.ScriptElementKind.memberSetAccessorElement, 'property'],
  [ts.ScriptElementKind.jsxAttribute, 'property'],
  [ts.ScriptElementKind.constElement, 'constant'],
  [ts.ScriptElementKind.classElement, 'class'],
  [ts.ScriptElementKind.interfaceElement, 'interface'],
  [ts.ScriptElementKind.typeElement, 'type'],
  [ts.ScriptElementKind.typeParameterElement, 'type'],
  [ts.ScriptElementKind.enumElement, 'enum'],
  [ts.ScriptElementKind.moduleElement, 'namespace'],
  [ts.ScriptElementKind.externalModuleName, 'namespace'],
  [ts.ScriptElementKind.keyword, 'keyword'],
  [ts.ScriptElementKind.primitiveType, 'keyword'],
  [ts.ScriptElementKind.string, 'text'],
]);
