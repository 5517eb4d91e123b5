import { FileType } from 'vscode-css-languageservice';
import { extension } from '@vitrine/project';
import { known } from './markup-completions.ts';
import type { MarkupEntry } from './messages.ts';
import { pathOf, resolveReference } from './project-files.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';

const classAttribute = /\bclass(?:Name)?\s*=\s*(?:\{\s*)?["'`]([^"'`]*)$/;
const importPath =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bnew\s+URL\s*\()\s*["']([^"'\n]*)$/;
const urlAttribute = /\b(?:src|href|poster|action)\s*=\s*["']([^"'\n{}]*)$/;

/**
 * Completes in scripts what markup and styles define: class names in JSX, and paths in imports and
 * attributes.
 */
export async function completeInScript(
  { files }: Known,
  file: ReadFile,
  offset: number,
): Promise<MarkupEntry[]> {
  const before = file.text.slice(Math.max(0, offset - 1_000), offset);
  const names = classAttribute.exec(before);
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
  const path = importPath.exec(before) ?? urlAttribute.exec(before);
  if (!path) return [];
  const isImport = importPath.test(before);
  const typedPath = path[1] ?? '';
  // A bare specifier is a package.
  if (isImport && !/^\.{1,2}\/|^\//.test(typedPath)) return [];
  return completePaths(file, typedPath, offset, isImport, files.fileSystem);
}

async function completePaths(
  file: ReadFile,
  typedPath: string,
  offset: number,
  isImport: boolean,
  { readDirectory }: Known['files']['fileSystem'],
): Promise<MarkupEntry[]> {
  const folder = resolveReference(
    typedPath.slice(0, typedPath.lastIndexOf('/') + 1) || '.',
    file.uri,
  );
  if (folder === undefined || !folder.startsWith('file:')) return [];
  const found = (await readDirectory?.(folder)) ?? [];
  const from = offset - (typedPath.length - typedPath.lastIndexOf('/') - 1);
  return found
    .filter(
      ([name, type]) => isOffered(name, type, isImport) && pathOf(folder) + name !== file.path,
    )
    .map(([name, type]) => ({
      name: type === FileType.Directory ? `${name}/` : name,
      type: 'text',
      rank: name,
      from,
      ...(type === FileType.Directory && { isFollowed: true }),
    }));
}

/** TypeScript completes scripts and folders in imports, so only other files are added. */
function isOffered(name: string, type: FileType, isImport: boolean): boolean {
  if (name.startsWith('.')) return false;
  if (!isImport) return true;
  return type === FileType.File && !/^(?:[cm]?[jt]s|[jt]sx)$/.test(extension(name));
}
