import { FileType } from 'vscode-css-languageservice';
import { getExtension } from '@vitrine/project';
import { listUnusedNames } from './markup-completions.ts';
import type { MarkupCompletion } from './messages.ts';
import { toProjectFilePath, resolveLink } from './markup-project.ts';
import type { MarkupFile } from './markup-file.ts';
import type { MarkupContext } from './services.ts';

const classAttribute = /\bclass(?:Name)?\s*=\s*(?:\{\s*)?["'`]([^"'`]*)$/;
const importPath =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bnew\s+URL\s*\()\s*["']([^"'\n]*)$/;
const urlAttribute = /\b(?:src|href|poster|action)\s*=\s*["']([^"'\n{}]*)$/;

/**
 * Completes in scripts what markup and styles define: class names in JSX, and paths in imports and
 * attributes.
 */
export async function completeInScript(
  { files }: MarkupContext,
  file: MarkupFile,
  offset: number,
): Promise<MarkupCompletion[]> {
  const before = file.text.slice(Math.max(0, offset - 1_000), offset);
  const names = classAttribute.exec(before);
  if (names) {
    const word = /\S*$/.exec(names[1] ?? '')?.[0] ?? '';
    const from = offset - word.length;
    return listUnusedNames('class', files, names[1] ?? '').map((name) => ({
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
  file: MarkupFile,
  typedPath: string,
  offset: number,
  isImport: boolean,
  { readDirectory }: MarkupContext['files']['fileSystem'],
): Promise<MarkupCompletion[]> {
  const folder = resolveLink(typedPath.slice(0, typedPath.lastIndexOf('/') + 1) || '.', file.uri);
  if (folder === undefined || !folder.startsWith('file:')) return [];
  const found = (await readDirectory?.(folder)) ?? [];
  const from = offset - (typedPath.length - typedPath.lastIndexOf('/') - 1);
  return found
    .filter(
      ([name, type]) =>
        isOffered(name, type, isImport) && toProjectFilePath(folder) + name !== file.path,
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
  return type === FileType.File && !/^(?:[cm]?[jt]s|[jt]sx)$/.test(getExtension(name));
}
