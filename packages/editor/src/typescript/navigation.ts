import type ts from 'typescript';
import { findOriginalPosition, restoreLibText } from './doc-comments.ts';
import { toProjectPath } from './embedded-scripts.ts';
import type {
  LanguageResults,
  LanguageParams,
  FilePosition,
  FileEdits,
  CodeLocation,
  Reference,
} from './messages.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/** Finds the definitions of the symbol at an offset, in the project or in declaration files. */
export function findScriptDefinitions(
  { service, findSourceFile }: TypeScriptContext,
  { path, offset }: FilePosition,
): CodeLocation[] {
  const file = findSourceFile(path);
  const found = file && service.getDefinitionAtPosition(file.fileName, offset);
  return (found ?? []).flatMap(
    ({ fileName, textSpan }) => toLocation(findSourceFile, fileName, textSpan.start) ?? [],
  );
}

/** The text of a declaration file with its comments; null for other paths. */
export function findDeclarationText(
  { host }: TypeScriptContext,
  { path }: LanguageParams['source'],
): string | null {
  if (!/^(?:node_modules|__vitrine\/lib)\//.test(path)) return null;
  const text = host.readFile(`/${path}`);
  return text === undefined ? null : restoreLibText(`/${path}`, text);
}

/** References within the project. Those in packages are left out. */
export function findScriptReferences(
  { host, service, findSourceFile }: TypeScriptContext,
  { path, offset }: FilePosition,
): Reference[] {
  const file = findSourceFile(path);
  const found = file && service.getReferencesAtPosition(file.fileName, offset);
  return (found ?? [])
    .filter(({ fileName }) => host.isProjectFile(fileName))
    .flatMap(({ fileName, textSpan }) => {
      const location = toLocation(findSourceFile, fileName, textSpan.start);
      return location
        ? [{ ...location, text: trimmedLineAt(findSourceFile(location.path), textSpan.start) }]
        : [];
    });
}

/** The name at an offset, if it can be renamed. */
export function findScriptRenameTarget(
  context: TypeScriptContext,
  { path, offset }: FilePosition,
): LanguageResults['renaming'] {
  const { service, findSourceFile } = context;
  const file = findSourceFile(path);
  if (!file) return null;
  const found = service.getRenameInfo(file.fileName, offset, {});
  if (!found.canRename || found.fileToRename !== undefined) return null;
  const { start, length } = found.triggerSpan;
  return { from: start, to: start + length, name: file.text.slice(start, start + length) };
}

/**
 * Edits that rename a symbol throughout the project. Empty if a package declares or uses the name.
 */
export function renameScriptSymbol(
  { host, service, findSourceFile }: TypeScriptContext,
  { path, offset, name }: LanguageParams['rename'],
): FileEdits[] {
  const file = findSourceFile(path);
  // Tries to rename everywhere first. If that would change a package, importers and properties keep
  // the old name.
  const attempts = [false, true].map((keepsOldNames) => {
    const options = { providePrefixAndSuffixTextForRename: keepsOldNames };
    return file && service.findRenameLocations(file.fileName, offset, false, false, options);
  });
  const found = attempts.find((attempt) =>
    attempt?.every(({ fileName }) => host.isProjectFile(fileName)),
  );
  if (!found) return [];
  const byFile = Map.groupBy(found, ({ fileName }) => toProjectPath(fileName));
  return [...byFile].map(([at, locations]) => ({
    path: at,
    edits: locations
      .map(({ textSpan: { start, length }, prefixText = '', suffixText = '' }) => ({
        from: start,
        to: start + length,
        insert: prefixText + name + suffixText,
      }))
      .toSorted((a, b) => a.from - b.from),
  }));
}

/** Undefined if the position is no longer in the program. */
function toLocation(
  find: TypeScriptContext['findSourceFile'],
  fileName: string,
  offset: number,
): CodeLocation | undefined {
  const path = toProjectPath(fileName);
  const file = find(path);
  if (!file) return undefined;
  const { line, character } = findOriginalPosition(file, offset);
  return { path, line: line + 1, column: character + 1 };
}

function trimmedLineAt(file: ts.SourceFile | undefined, offset: number): string {
  const text = file?.text ?? '';
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text
    .slice(start, end === -1 ? undefined : end)
    .trim()
    .slice(0, 200);
}
