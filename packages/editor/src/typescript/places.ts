import type ts from 'typescript';
import { findPlace, wholeText } from './comments.ts';
import { projectPath } from './embedded-scripts.ts';
import type { Understanding } from './answers.ts';
import type { Answered, Asked, At, FileEdits, Place, Reference } from './messages.ts';

/** Finds the definitions of the symbol at an offset, in the project or in declaration files. */
export function findDefinitions({ service, find }: Understanding, { path, offset }: At): Place[] {
  const file = find(path);
  const found = file && service.getDefinitionAtPosition(file.fileName, offset);
  return (found ?? []).flatMap(
    ({ fileName, textSpan }) => toLocation(find, fileName, textSpan.start) ?? [],
  );
}

/** The text of a declaration file with its comments; null for other paths. */
export function findSource({ host }: Understanding, { path }: Asked['source']): string | null {
  if (!/^(?:node_modules|__vitrine\/lib)\//.test(path)) return null;
  const text = host.readFile(`/${path}`);
  return text === undefined ? null : wholeText(`/${path}`, text);
}

/** References within the project. Those in packages are left out. */
export function findReferences(
  { host, service, find }: Understanding,
  { path, offset }: At,
): Reference[] {
  const file = find(path);
  const found = file && service.getReferencesAtPosition(file.fileName, offset);
  return (found ?? [])
    .filter(({ fileName }) => host.isOfProject(fileName))
    .flatMap(({ fileName, textSpan }) => {
      const location = toLocation(find, fileName, textSpan.start);
      return location
        ? [{ ...location, text: trimmedLineAt(find(location.path), textSpan.start) }]
        : [];
    });
}

/** The name at an offset, if it can be renamed. */
export function findRenaming(context: Understanding, { path, offset }: At): Answered['renaming'] {
  const { service, find } = context;
  const file = find(path);
  if (!file) return null;
  const found = service.getRenameInfo(file.fileName, offset, {});
  if (!found.canRename || found.fileToRename !== undefined) return null;
  const { start, length } = found.triggerSpan;
  return { from: start, to: start + length, name: file.text.slice(start, start + length) };
}

/**
 * Edits that rename a symbol throughout the project. Empty if a package declares or uses the name.
 */
export function rename(
  { host, service, find }: Understanding,
  { path, offset, name }: Asked['rename'],
): FileEdits[] {
  const file = find(path);
  // Tries to rename everywhere first. If that would change a package, importers and properties keep
  // the old name.
  const attempts = [false, true].map((keepsOldNames) => {
    const options = { providePrefixAndSuffixTextForRename: keepsOldNames };
    return file && service.findRenameLocations(file.fileName, offset, false, false, options);
  });
  const found = attempts.find((attempt) =>
    attempt?.every(({ fileName }) => host.isOfProject(fileName)),
  );
  if (!found) return [];
  const byFile = Map.groupBy(found, ({ fileName }) => projectPath(fileName));
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
  find: Understanding['find'],
  fileName: string,
  offset: number,
): Place | undefined {
  const path = projectPath(fileName);
  const file = find(path);
  if (!file) return undefined;
  const { line, character } = findPlace(file, offset);
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
