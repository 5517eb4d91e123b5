import ts from 'typescript';
import { markDeprecated } from './doc-comments.ts';
import { joinDisplayParts, formatDocumentation } from './hover.ts';
import type {
  LanguageParams,
  CompletionDetail,
  CompletionEntry,
  CompletionList,
} from './messages.ts';
import { formatSettings, getUserPreferences } from './user-preferences.ts';
import { toEditsOfFile } from './text-edits.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/** Longest list that is sent. Entries left out appear as more is typed. */
const maxEntries = 200;

/** Lists completions that match the word before the cursor. */
export function listCompletions(
  { host, service, findSourceFile }: TypeScriptContext,
  { path, offset, isExplicit }: LanguageParams['completions'],
): CompletionList | null {
  const file = findSourceFile(path);
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
    getUserPreferences(file, host.options),
    formatSettings,
  );
  // Where any new name may be declared, as after "const", completion opens only on request.
  if (!found || (found.isNewIdentifierLocation && !isExplicit && word === '' && before !== '.'))
    return null;
  const canImport = host.canImport(path);
  const fitting = found.entries.filter(
    (entry) => matches(entry, word, isExplicit) && (canImport || entry.source === undefined),
  );
  const sorted = fitting
    .map((entry) => ({ entry, rating: rateMatch(entry.name, word) }))
    .toSorted((a, b) => a.rating - b.rating || compareStrings(a.entry.sortText, b.entry.sortText));
  return {
    from: found.optionalReplacementSpan?.start ?? from,
    isComplete: sorted.length <= maxEntries && word !== '',
    entries: sorted.slice(0, maxEntries).map(({ entry }) => toEntry(entry)),
  };
}

/** Finds a completion's documentation and the edits for its auto-import. */
export function describeCompletion(
  { host, service, findSourceFile }: TypeScriptContext,
  { path, offset, name, origin }: LanguageParams['completion'],
): CompletionDetail | null {
  const file = findSourceFile(path);
  if (!file) return null;
  const details = service.getCompletionEntryDetails(
    file.fileName,
    offset,
    name,
    formatSettings,
    origin?.source,
    getUserPreferences(file, host.options),
    origin?.data ? parseEntryData(origin.data) : undefined,
  );
  if (!details) return null;
  const changes = (details.codeActions ?? []).flatMap((action) => action.changes);
  const ownChanges = changes.filter((change) => change.fileName === file.fileName);
  return {
    code: joinDisplayParts(details.displayParts),
    text: formatDocumentation(details.documentation, details.tags),
    edits: ownChanges.flatMap((change) => toEditsOfFile(change, host).edits),
  };
}

/** Safe because the object comes from the language service, by way of the page. */
function parseEntryData(data: object): ts.CompletionEntryData | undefined {
  return 'exportName' in data ? (data as ts.CompletionEntryData) : undefined;
}

function matches(
  { name, kind, sortText }: ts.CompletionEntry,
  word: string,
  isExplicit: boolean,
): boolean {
  if (kind === ts.ScriptElementKind.warning) return false;
  // Auto-imports are offered only once typing has started.
  if (word === '') return isExplicit || !sortText.startsWith('16');
  return rateMatch(name, word) < 3;
}

/**
 * 0: starts with the word. 1: starts with it ignoring case. 2: contains its letters in order,
 * starting with the same letter. 3: no match.
 */
function rateMatch(name: string, word: string): number {
  if (name.startsWith(word)) return 0;
  const lower = name.toLowerCase();
  const lowerWord = word.toLowerCase();
  if (lower.startsWith(lowerWord)) return 1;
  if (lower[0] !== lowerWord[0] && !name.includes(word)) return 3;
  let at = 0;
  for (const character of lowerWord) {
    at = lower.indexOf(character, at) + 1;
    if (at === 0) return 3;
  }
  return 2;
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toEntry(entry: ts.CompletionEntry): CompletionEntry {
  const { name, kind, kindModifiers, sortText, insertText, replacementSpan, source, data } = entry;
  return {
    name,
    type: completionTypes.get(kind) ?? 'variable',
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

/** TypeScript's kinds → completion types that CodeMirror has icons for. */
const completionTypes = new Map<string, string>([
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
