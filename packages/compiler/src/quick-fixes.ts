/** Quick fixes for unknown names and for imports of missing files. */
import { findMediaType, getExtension, validatePath, type QuickFix } from '@vitrine/project';
import { findClosestName } from './error-messages/closest-name.ts';
import { findFileKind } from './file-kinds.ts';
import { resolvePath } from './resolve-path.ts';

/** A 1-based position in a file of the project. */
interface QuickFixLocation {
  path: string;
  line: number;
  column: number;
}

/** Creates a fix that replaces a name, found in the line at or after the position. */
export function createReplaceFix(
  text: string,
  location: QuickFixLocation,
  before: string,
  by: string,
): QuickFix | undefined {
  const [line = ''] = text.split('\n').slice(location.line - 1, location.line);
  const at = line.indexOf(before, Math.max(0, location.column - 1));
  if (before === '' || at === -1) return undefined;
  const { path, line: number } = location;
  const edit = { type: 'replace', path, line: number, column: at + 1, before, text: by } as const;
  return { label: `Change to ${by}`, edit };
}

/**
 * What requests a file, which decides what could be meant: a page never shows a script as an image.
 * Stylesheets request images and fonts too.
 */
export type MissingFileUse = 'module' | 'style' | 'page' | 'data' | 'media';

/** Creates fixes for an import or a URL in a page that names a missing file. */
export function createMissingFileFixes(
  text: string,
  location: QuickFixLocation,
  specifier: string,
  paths: Iterable<string>,
  use: MissingFileUse = 'module',
): QuickFix[] {
  const missingPath = resolveMissing(location.path, specifier);
  if (missingPath === undefined) return [];
  const near = findClosestFile(missingPath, paths, use);
  const change =
    near === undefined
      ? undefined
      : createReplaceFix(text, location, specifier, formatLike(specifier, location.path, near));
  const created = createFileFix(missingPath, location.path, use);
  return [change, created].filter((fix) => fix !== undefined);
}

/** The path that a specifier of a missing file means: "@/a.js" → "src/a.js" */
export function resolveMissing(from: string, specifier: string): string | undefined {
  return resolvePath(from, specifier.replace(/^[@~]\//, '/src/'));
}

/**
 * Finds the file that a path probably means: in another folder, with another extension, or a typo.
 * A page never stands for a script, or a script for a stylesheet.
 */
export function findClosestFile(
  missingPath: string,
  paths: Iterable<string>,
  use: MissingFileUse = 'module',
): string | undefined {
  const kind = findFileKind(missingPath);
  const candidates = [...paths].filter((path) => {
    const other = findFileKind(path);
    return path !== missingPath && (!kind || !other || other === kind) && mayBeUsed(path, use);
  });
  const lower = (path: string) => path.toLowerCase();
  const { folder, name } = splitPath(missingPath);
  const inFolder = candidates.filter((path) => splitPath(path).folder === folder);
  const nearName = findClosestName(
    name,
    inFolder.map((path) => splitPath(path).name),
  );
  return (
    inFolder.find(
      (path) => lower(withoutExtension(path)) === lower(withoutExtension(missingPath)),
    ) ??
    candidates.find((path) => lower(splitPath(path).name) === lower(name)) ??
    (nearName === undefined ? undefined : folder + nearName) ??
    findNearStem(name, inFolder) ??
    candidates.find(
      (path) => lower(withoutExtension(splitPath(path).name)) === lower(withoutExtension(name)),
    ) ??
    findClosestName(missingPath, candidates)
  );
}

function mayBeUsed(path: string, use: MissingFileUse): boolean {
  const kind = findFileKind(path);
  const isMedia = /^(?:audio|font|image|model|video)\/|^text\/vtt$/.test(findMediaType(path) ?? '');
  switch (use) {
    case 'module':
    case 'data':
      return true;
    case 'style':
    case 'page':
      return kind === use || isMedia;
    case 'media':
      return isMedia;
  }
}

/** "Ap" → "src/App.jsx": compares names without extensions. */
function findNearStem(name: string, paths: readonly string[]): string | undefined {
  const byStem = new Map(paths.map((path) => [withoutExtension(splitPath(path).name), path]));
  const near = findClosestName(withoutExtension(name), byStem.keys());
  return near === undefined ? undefined : byStem.get(near);
}

/** Creates a fix that creates an imported file; undefined for files that can't be created as text. */
function createFileFix(
  missingPath: string,
  from: string,
  use: MissingFileUse,
): QuickFix | undefined {
  const path =
    getExtension(missingPath) === '' && use === 'module'
      ? `${missingPath}.${getScriptExtension(from)}`
      : missingPath;
  // No name that anyone would choose, but what follows an open quote: "</figure".
  if (validatePath(path) !== undefined || /[<>"'`{}|*?=]/.test(path)) return undefined;
  if (use === 'media' || !mayBeUsed(path, use)) return undefined;
  const text = initialTexts.get(getExtension(path));
  // Packages are installed, not written.
  if (path.startsWith('node_modules/')) return undefined;
  if (text === undefined || missingPath.endsWith('/')) return undefined;
  return { label: `Create ${path}`, edit: { type: 'create', path, text } };
}

const initialTexts = new Map([
  ...'js mjs jsx ts mts tsx css pcss postcss scss sass less svelte txt md'
    .split(' ')
    .map((name) => [name, ''] as const),
  ['json', '{}\n'],
  ['vue', '<template>\n  <p></p>\n</template>\n'],
  ['html', '<!doctype html>\n<title></title>\n'],
]);

function getScriptExtension(from: string): string {
  return ['jsx', 'ts', 'tsx'].includes(getExtension(from)) ? getExtension(from) : 'js';
}

/**
 * Formats a path like an existing specifier: "src/lib/a.js" for "./b" in "src/App.jsx" →
 * "./lib/a.js"; for "/b" → "/src/lib/a.js"; for "@/b" → "@/lib/a.js".
 */
function formatLike(written: string, from: string, path: string): string {
  if (written.startsWith('/')) return `/${path}`;
  const [alias] = /^[@~]\//.exec(written) ?? [];
  if (alias !== undefined) return alias + path.replace(/^src\//, '');
  const folders = from.split('/').slice(0, -1);
  const parts = path.split('/');
  while (folders.length > 0 && parts.length > 1 && folders[0] === parts[0]) {
    folders.shift();
    parts.shift();
  }
  const relative = [...folders.map(() => '..'), ...parts].join('/');
  return written.startsWith('.') && !relative.startsWith('.') ? `./${relative}` : relative;
}

function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./]+$/, '');
}
