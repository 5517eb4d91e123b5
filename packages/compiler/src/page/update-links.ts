import { findModule } from '../find-module.ts';
import { encodePath, resolvePath } from '../resolve-path.ts';

/** A specifier or URL in a file, with the kind that determines how it is resolved. */
export interface FileLink {
  readonly from: number;
  readonly to: number;
  readonly address: string;
  readonly kind: 'module' | 'style' | 'address' | 'page-address';
}

interface MovedFiles {
  /** Path of the file with the links, before the move. */
  readonly path: string;
  /** Returns a file's path after the move. */
  readonly moved: (path: string) => string;
  /** Whether a file existed before the move. */
  readonly exists: (path: string) => boolean;
}

interface LinkEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Returns edits that update the links in a file after files have moved. Links keep their form:
 * without an extension, from the root, with a query.
 * In "src/main.js", when "src/a.ts" becomes "lib/a.ts": "./a" → "../lib/a".
 */
export function updateLinks(links: readonly FileLink[], files: MovedFiles): LinkEdit[] {
  return links.flatMap((link) => {
    const address = updateLink(link, files);
    return address === undefined || address === link.address
      ? []
      : [{ from: link.from, to: link.to, insert: address }];
  });
}

function updateLink(link: FileLink, { path, moved, exists }: MovedFiles): string | undefined {
  const { address, kind } = link;
  const from = kind === 'page-address' && !address.startsWith('.') ? '' : path;
  const target = findTarget(link, from, exists);
  if (target === undefined) return undefined;
  const to = moved(target);
  const here = from === '' ? '' : moved(path);
  const isFromRoot = address.startsWith('/');
  if (to === target && (here === from || isFromRoot)) return undefined;
  const [plain = ''] = address.split(/[?#]/);
  const named = resolvePath(from, plain) ?? '';
  const short = shorten(to, target, kind === 'module' ? named.replace(/\/$/, '') : named);
  const isDotted = kind === 'module' || plain.startsWith('./');
  const written = isFromRoot ? `/${short}` : relativePath(here, short, isDotted);
  return encodeAs(written, kind) + address.slice(plain.length);
}

/** ("src/main.js", "lib/a") → "../lib/a"; ("main.js", "a") → "a", or "./a" with a dot. */
function relativePath(from: string, to: string, isDotted: boolean): string {
  const folders = from.split('/').slice(0, -1);
  const names = to.split('/');
  let shared = 0;
  while (shared < names.length - 1 && shared < folders.length && folders[shared] === names[shared])
    shared += 1;
  const up = '../'.repeat(folders.length - shared);
  const down = names.slice(shared).join('/');
  return up === '' && (isDotted || down === '') ? `./${down}` : up + down;
}

/** Escapes characters that a link of this kind can't contain. */
function encodeAs(path: string, kind: FileLink['kind']): string {
  if (kind === 'module') return path.replace(/[%?#]/g, encodeURIComponent);
  if (!/[\s%?#"'()]/.test(path)) return path;
  return encodePath(path).replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Returns the project's file that a link resolves to. */
function findTarget(
  { address, kind }: FileLink,
  from: string,
  exists: (path: string) => boolean,
): string | undefined {
  if (kind === 'module')
    return /^\.{0,2}\//.test(address) || /^\.{1,2}$/.test(address)
      ? findModule(from, address.split(/[?#]/)[0] ?? '', exists)
      : undefined;
  const path = resolvePath(from, address);
  if (path === undefined) return undefined;
  const candidates =
    kind === 'style' ? [path, ...getStyleCandidates(path)] : [path, ...getPageCandidates(path)];
  return candidates.find(exists);
}

/** "parts/a" → "parts/a.scss", "parts/_a.scss", … */
function getStyleCandidates(path: string): string[] {
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  const names = [name, `_${name}`, `${name}/index`, `${name}/_index`];
  return ['', '.scss', '.sass', '.less', '.css'].flatMap((ending) =>
    names.map((each) => folder + each + ending),
  );
}

function getPageCandidates(path: string): string[] {
  return path.endsWith('/') ? [`${path}index.html`] : [];
}

/** Short forms of a path in links. The first that matches the written link is used again. */
const shortForms: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.replace(/\.[^./]+$/, ''),
  (path) => path.replace(/\.([cm]?)tsx?$/, '.$1js'),
  (path) => path.replace(/\.tsx$/, '.jsx'),
  (path) => path.replace(/\/index\.[^./]+$/, ''),
  (path) => path.replace(/(^|\/)index\.html$/, '$1'),
  (path) => path.replace(/(^|\/)_([^/]+)$/, '$1$2'),
  (path) => path.replace(/(^|\/)_?([^/]+)\.[^./]+$/, '$1$2'),
  (path) => path.replace(/\/_?index\.[^./]+$/, ''),
];

/** "lib/b.ts", if "src/a" was written for "src/a.ts" → "lib/b" */
function shorten(to: string, target: string, written: string): string {
  const toShortForm = shortForms.find((each) => each(target) === written);
  if (!toShortForm) return to;
  const short = toShortForm(to);
  // A path that is no longer an index file needs its name.
  return short === to && toShortForm !== shortForms[0] ? to.replace(/\.[^./]+$/, '') : short;
}
