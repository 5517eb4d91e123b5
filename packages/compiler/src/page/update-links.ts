import { findServedFile, publicFolder } from '@vitrine/project';
import { findModule } from '../find-module.ts';
import { matchPattern, type ImportAlias } from '../resolve-alias.ts';
import { encodePath, resolvePath } from '../resolve-path.ts';

/** A specifier or URL in a file, with the kind that determines how it is resolved. */
export interface FileLink {
  readonly from: number;
  readonly to: number;
  /** The specifier or URL as written. */
  readonly address: string;
  /**
   * `module` and `style`: a specifier of a script or stylesheet. `address`: a URL relative to the file.
   * `page-address`: a URL in JSX, which is relative to the page that runs the script.
   */
  readonly kind: 'module' | 'style' | 'address' | 'page-address';
}

interface MovedFiles {
  /** Path of the file with the links, before the move. */
  readonly path: string;
  /** Returns a file's path after the move. */
  readonly moved: (path: string) => string;
  /** Whether a file existed before the move. */
  readonly exists: (path: string) => boolean;
  /** The project's aliases of import specifiers. */
  readonly aliases: readonly ImportAlias[];
}

interface LinkEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Returns edits that update the links in a file after files have moved. Links keep their form:
 * without an extension, from the root, by an alias, with a query.
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

function updateLink(link: FileLink, files: MovedFiles): string | undefined {
  const { path, moved, exists } = files;
  const { address, kind } = link;
  const aliased = kind === 'module' ? findAliased(address, files) : undefined;
  if (aliased) return updateAlias(address, aliased, files);
  const from = kind === 'page-address' && !address.startsWith('.') ? '' : path;
  const file = findTarget(link, from, exists);
  if (file === undefined) return undefined;
  const movedFile = moved(file);
  const here = from === '' ? '' : moved(path);
  const isFromRoot = address.startsWith('/');
  if (movedFile === file && (here === from || isFromRoot)) return undefined;
  const [plain = ''] = address.split(/[?#]/);
  const named = resolvePath(from, plain) ?? '';
  // A file in `public` is linked by its URL at the root.
  const isServed = file.startsWith(publicFolder) && !named.startsWith(publicFolder);
  const toUrlPath = (each: string) =>
    isServed && each.startsWith(publicFolder) ? each.slice(publicFolder.length) : each;
  const [target, to] = [toUrlPath(file), toUrlPath(movedFile)];
  const short = shorten(to, target, kind === 'module' ? named.replace(/\/$/, '') : named);
  const isDotted = kind === 'module' || plain.startsWith('./');
  const written = isFromRoot ? `/${short}` : relativePath(here, short, isDotted);
  return encodeAs(written, kind) + address.slice(plain.length);
}

/** A specifier that is an alias: its pattern, that of the target, and the file. */
interface Aliased {
  find: string;
  pattern: string;
  /** The path that the alias stands for, as it is written: "src/a" */
  named: string;
  target: string;
}

function findAliased(address: string, { aliases, exists }: MovedFiles): Aliased | undefined {
  if (/^\.{0,2}(?:\/|$)/.test(address)) return undefined;
  const [plain = ''] = address.split('?');
  for (const { find, targets } of aliases) {
    const matched = matchPattern(find, plain);
    if (matched === undefined) continue;
    for (const pattern of targets.filter((each) => each.startsWith('/'))) {
      const named = pattern.slice(1).replace('*', () => matched);
      const target = findModule('', `/${named}`, exists);
      if (target !== undefined) return { find, pattern, named, target };
    }
  }
  return undefined;
}

/** "@/a?raw", when "src/a.ts" becomes "src/lib/b.ts" → "@/lib/b?raw"; relative if no alias fits. */
function updateAlias(
  address: string,
  { find, pattern, named, target }: Aliased,
  { path, moved }: MovedFiles,
): string | undefined {
  const to = moved(target);
  if (to === target) return undefined;
  const short = shorten(to, target, named);
  const matched = find.includes('*') ? matchPattern(pattern, `/${short}`) : undefined;
  const written =
    matched === undefined
      ? relativePath(moved(path), short, true)
      : find.replace('*', () => encodeAs(matched, 'module'));
  return written + address.slice(address.split('?')[0]?.length);
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
  return candidates.find(exists) ?? findServedFile(path, exists);
}

/** "parts/a" → "parts/a.scss", "parts/_a.scss", … */
function getStyleCandidates(path: string): string[] {
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  const names = [name, `_${name}`, `${name}/index`, `${name}/_index`];
  return ['', '.scss', '.sass', '.less', '.css', '.pcss', '.postcss'].flatMap((ending) =>
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
