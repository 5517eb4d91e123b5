import { VitrineError } from './errors.ts';
import { limits } from './limits.ts';

/**
 * Returns the length of a text in UTF-8 bytes. Each half of a surrogate pair counts two bytes, so
 * the lengths of the parts of a text add up to the length of the whole, wherever it is split.
 */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // A surrogate pair has four bytes, so each half counts two.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/**
 * Returns why a path is invalid, for the details of `invalid_path`, or undefined if it is valid.
 * Paths are relative, separated by `/` and in Unicode NFC. Names starting with `__vitrine` are
 * reserved.
 */
export function validatePath(path: string): string | undefined {
  if (path === '') return 'it’s empty';
  if (byteLength(path) > limits.pathMaxBytes)
    return `it’s longer than ${limits.pathMaxBytes} bytes`;
  if (path !== path.normalize('NFC')) return 'a character isn’t in normalized form';
  if (!path.isWellFormed()) return 'it contains an invalid character';
  if (/[\u0000-\u001f\u007f]/u.test(path)) return 'it contains a control character';
  if (path.includes('\\')) return 'it contains a backslash';
  const segments = path.split('/');
  if (segments.some((segment) => segment === '')) return 'a folder or file name is empty';
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'a folder or file name is “.” or “..”';
  if (segments.some((segment) => segment !== segment.trim()))
    return 'a name starts or ends with a space';
  if (segments.some((segment) => segment.startsWith('__vitrine')))
    return 'names starting with __vitrine are reserved';
  return undefined;
}

/** Parses an untrusted value as a file path, normalized to NFC. Throws `invalid_path`. */
export function parsePath(value: unknown): string {
  if (typeof value !== 'string') throw new VitrineError('invalid_path', 'it isn’t a string');
  const path = value.normalize('NFC');
  const problem = validatePath(path);
  if (problem) throw new VitrineError('invalid_path', problem);
  return path;
}

/**
 * Returns a key that is equal for paths that count as the same file. Paths that differ only in case
 * are the same file on many file systems, so they are here. A lowercase sigma has a second form at
 * the end of a word; both forms count as equal.
 */
export function getPathKey(path: string): string {
  return path.toLowerCase().replaceAll('ς', 'σ');
}

/** "lib/boids.js" → "js"; "" if the file has no extension. */
export function getExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** Whether a path names a test file, such as "src/sum.test.ts" or "sum.spec.jsx". */
export function isTestPath(path: string): boolean {
  return /\.(?:test|spec)\.(?:m?[jt]s|[jt]sx)$/.test(path);
}

/**
 * Whether a script configures a tool that builds, tests or checks the project. Tools run in Node, so
 * its imports aren't those of a page: "vite.config.ts", "eslint.config.js", ".eslintrc.cjs"
 */
export function isToolConfig(path: string): boolean {
  return /^(?:[\w.-]+\.config|\.[\w-]+rc|gulpfile|Gruntfile)\.[cm]?[jt]s$/.test(path);
}

/**
 * Finds the file at a path of a preview: the file itself, or else the one in `public`, whose files
 * have URLs at the root. "vite.svg" → "public/vite.svg"
 */
export function findServedFile(
  path: string,
  exists: (path: string) => boolean,
): string | undefined {
  return [path, publicFolder + path].find(exists);
}

/** Folder of files that are served at the root, as in projects of Vite and create-react-app. */
export const publicFolder = 'public/';
