import type ts from 'typescript';
import { findPlace, wholeText } from './comments.ts';
import { projectPath } from './embedded-scripts.ts';
import type { Understanding } from './answers.ts';
import type { Answered, Asked, At, FileEdits, Place, Reference } from './messages.ts';

export function findDefinitions({ service, find }: Understanding, { path, offset }: At): Place[] {
  const file = find(path);
  const found = file && service.getDefinitionAtPosition(file.fileName, offset);
  return (found ?? []).flatMap(
    ({ fileName, textSpan }) => placeAt(find, fileName, textSpan.start) ?? [],
  );
}

/** The declarations at a path; null for what has none. */
export function findSource({ host }: Understanding, { path }: Asked['source']): string | null {
  if (!/^(?:node_modules|__vitrine\/lib)\//.test(path)) return null;
  const text = host.readFile(`/${path}`);
  return text === undefined ? null : wholeText(`/${path}`, text);
}

/** Of the project; what packages do with a name is theirs. */
export function findReferences(
  { host, service, find }: Understanding,
  { path, offset }: At,
): Reference[] {
  const file = find(path);
  const found = file && service.getReferencesAtPosition(file.fileName, offset);
  return (found ?? [])
    .filter(({ fileName }) => host.isOfProject(fileName))
    .flatMap(({ fileName, textSpan }) => {
      const place = placeAt(find, fileName, textSpan.start);
      return place ? [{ ...place, text: lineAt(find(place.path), textSpan.start) }] : [];
    });
}

/** What would be renamed here, if anything of the project would. */
export function findRenaming(known: Understanding, { path, offset }: At): Answered['renaming'] {
  const { service, find } = known;
  const file = find(path);
  if (!file) return null;
  const found = service.getRenameInfo(file.fileName, offset, {});
  if (!found.canRename || found.fileToRename !== undefined) return null;
  const { start, length } = found.triggerSpan;
  return { from: start, to: start + length, name: file.text.slice(start, start + length) };
}

/** The edits that give a name to what stands here, wherever it is named. None where a package has it. */
export function rename(
  { host, service, find }: Understanding,
  { path, offset, name }: Asked['rename'],
): FileEdits[] {
  const file = find(path);
  // Everywhere first; where that would change a package, importers and properties keep the old name.
  const ways = [false, true].map((keepsNames) => {
    const options = { providePrefixAndSuffixTextForRename: keepsNames };
    return file && service.findRenameLocations(file.fileName, offset, false, false, options);
  });
  const found = ways.find((way) => way?.every(({ fileName }) => host.isOfProject(fileName)));
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

/** Undefined for what has no place in the program any more. */
function placeAt(find: Understanding['find'], fileName: string, offset: number): Place | undefined {
  const path = projectPath(fileName);
  const file = find(path);
  if (!file) return undefined;
  const { line, character } = findPlace(file, offset);
  return { path, line: line + 1, column: character + 1 };
}

function lineAt(file: ts.SourceFile | undefined, offset: number): string {
  const text = file?.text ?? '';
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text
    .slice(start, end === -1 ? undefined : end)
    .trim()
    .slice(0, 200);
}
