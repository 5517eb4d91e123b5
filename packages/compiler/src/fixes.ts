/** What mends a name or an address that leads nowhere. */
import { extension, type Fix } from '@vitrine/project';
import { findNear } from './near-name.ts';
import { resolvePath } from './resolve-path.ts';

/** A place in the text of a file of the project. */
export interface MistakePlace {
  path: string;
  line: number;
  column: number;
}

/** Another name where this one stands, at the place or a little behind it in its line. */
export function replaceName(
  text: string,
  place: MistakePlace,
  before: string,
  by: string,
): Fix | undefined {
  const [line = ''] = text.split('\n').slice(place.line - 1, place.line);
  const at = line.indexOf(before, Math.max(0, place.column - 1));
  if (before === '' || at === -1) return undefined;
  const { path, line: number } = place;
  const edit = { type: 'replace', path, line: number, column: at + 1, before, text: by } as const;
  return { label: `Change to ${by}`, edit };
}

/** What can be done about an import, or an address in a page, that names no file. */
export function fixMissingFile(
  text: string,
  place: MistakePlace,
  specifier: string,
  paths: Iterable<string>,
): Fix[] {
  const wanted = resolvePath(place.path, specifier);
  if (wanted === undefined) return [];
  const near = findNearFile(wanted, paths);
  const change =
    near === undefined
      ? undefined
      : replaceName(text, place, specifier, addressLike(specifier, place.path, near));
  const created = newFile(wanted, place.path);
  return [change, created].filter((fix) => fix !== undefined);
}

/** The file that a path was meant to name: the same name elsewhere, another ending, a slip of the hand. */
export function findNearFile(wanted: string, paths: Iterable<string>): string | undefined {
  const known = [...paths].filter((path) => path !== wanted);
  const lower = (path: string) => path.toLowerCase();
  const { folder, name } = split(wanted);
  const inFolder = known.filter((path) => split(path).folder === folder);
  const nearName = findNear(
    name,
    inFolder.map((path) => split(path).name),
  );
  return (
    inFolder.find((path) => lower(stem(path)) === lower(stem(wanted))) ??
    known.find((path) => lower(split(path).name) === lower(name)) ??
    (nearName === undefined ? undefined : folder + nearName) ??
    findNearStem(name, inFolder) ??
    known.find((path) => lower(stem(split(path).name)) === lower(stem(name))) ??
    findNear(wanted, known)
  );
}

/** "Ap" → "src/App.jsx": names are compared without their endings. */
function findNearStem(name: string, paths: readonly string[]): string | undefined {
  const byStem = new Map(paths.map((path) => [stem(split(path).name), path]));
  const near = findNear(stem(name), byStem.keys());
  return near === undefined ? undefined : byStem.get(near);
}

/** A file for what an import in `from` calls `wanted`; undefined for what nobody types. */
function newFile(wanted: string, from: string): Fix | undefined {
  const path = extension(wanted) === '' ? `${wanted}.${scriptEnding(from)}` : wanted;
  const text = emptyTexts.get(extension(path));
  if (text === undefined || wanted.endsWith('/') || /^[@~]\//.test(wanted)) return undefined;
  return { label: `Create ${path}`, edit: { type: 'create', path, text } };
}

const emptyTexts = new Map([
  ...['js', 'mjs', 'jsx', 'ts', 'mts', 'tsx', 'css', 'txt', 'md'].map(
    (name) => [name, ''] as const,
  ),
  ['json', '{}\n'],
  ['html', '<!doctype html>\n<title></title>\n'],
]);

function scriptEnding(from: string): string {
  return ['jsx', 'ts', 'tsx'].includes(extension(from)) ? extension(from) : 'js';
}

/**
 * "src/lib/a.js" for "./b" in "src/App.jsx" → "./lib/a.js"; for "/b" → "/src/lib/a.js". What begins
 * with "@/" or "~/" is a path to tools elsewhere, and none here.
 */
function addressLike(written: string, from: string, path: string): string {
  if (written.startsWith('/')) return `/${path}`;
  const folders = from.split('/').slice(0, -1);
  const parts = path.split('/');
  while (folders.length > 0 && parts.length > 1 && folders[0] === parts[0]) {
    folders.shift();
    parts.shift();
  }
  const relative = [...folders.map(() => '..'), ...parts].join('/');
  return /^(?:\.|[@~]\/)/.test(written) && !relative.startsWith('.') ? `./${relative}` : relative;
}

function split(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}

function stem(path: string): string {
  return path.replace(/\.[^./]+$/, '');
}
