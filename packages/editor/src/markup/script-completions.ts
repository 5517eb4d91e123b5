import { FileType } from 'vscode-css-languageservice';
import { extension } from '@vitrine/project';
import { known } from './markup-completions.ts';
import type { MarkupEntry } from './messages.ts';
import { pathOf, resolveReference } from './project-files.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';

const classValue = /\bclass(?:Name)?\s*=\s*(?:\{\s*)?["'`]([^"'`]*)$/;
const imported =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bnew\s+URL\s*\()\s*["']([^"'\n]*)$/;
const address = /\b(?:src|href|poster|action)\s*=\s*["']([^"'\n{}]*)$/;

/** What styles and markup know of a place in a script: classes of JSX, and paths of the project. */
export async function completeInScript(
  { files }: Known,
  file: ReadFile,
  offset: number,
): Promise<MarkupEntry[]> {
  const before = file.text.slice(Math.max(0, offset - 1_000), offset);
  const names = classValue.exec(before);
  if (names) {
    const word = /\S*$/.exec(names[1] ?? '')?.[0] ?? '';
    const from = offset - word.length;
    return known('class', files, names[1] ?? '').map((name) => ({
      name,
      type: 'class',
      rank: name,
      from,
    }));
  }
  const path = imported.exec(before) ?? address.exec(before);
  if (!path) return [];
  const isImport = imported.test(before);
  const written = path[1] ?? '';
  // A name alone is a package.
  if (isImport && !/^\.{1,2}\/|^\//.test(written)) return [];
  return listPaths(file, written, offset, isImport, files.fileSystem);
}

async function listPaths(
  file: ReadFile,
  written: string,
  offset: number,
  isImport: boolean,
  { readDirectory }: Known['files']['fileSystem'],
): Promise<MarkupEntry[]> {
  const folder = resolveReference(written.slice(0, written.lastIndexOf('/') + 1) || '.', file.uri);
  if (folder === undefined || !folder.startsWith('file:')) return [];
  const found = (await readDirectory?.(folder)) ?? [];
  const from = offset - (written.length - written.lastIndexOf('/') - 1);
  return found
    .filter(([name, type]) => isWanted(name, type, isImport) && pathOf(folder) + name !== file.path)
    .map(([name, type]) => ({
      name: type === FileType.Directory ? `${name}/` : name,
      type: 'text',
      rank: name,
      from,
      ...(type === FileType.Directory && { isFollowed: true }),
    }));
}

/** TypeScript offers scripts and folders to who imports. */
function isWanted(name: string, type: FileType, isImport: boolean): boolean {
  if (name.startsWith('.')) return false;
  if (!isImport) return true;
  return type === FileType.File && !/^(?:[cm]?[jt]s|[jt]sx)$/.test(extension(name));
}
