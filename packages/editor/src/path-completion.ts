/**
 * Completes paths of the project's files and assets where a file refers to another one: in
 * attributes, `url()`, imports and links. Whole paths are offered, in the form that was begun:
 *
 *     <img src="se|             → sea.jpg, images/sea.jpg
 *     <img src="/se|            → /sea.jpg, /images/sea.jpg
 *     import './st|             → ./style.css, ./styles/print.css
 */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { EditorState, Facet, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { getExtension, publicFolder } from '@vitrine/project/paths';
import {
  filePath,
  hasLanguageService,
  isInElement,
  isMarkup,
  isScript,
  isScriptAt,
  isStyle,
} from './language-facets.ts';

/** The project's files, for path completion. */
export interface ProjectPaths {
  /** Paths of all files and assets. */
  list(): readonly string[];
  /** The bytes of a picture. Undefined if there is no such file. */
  loadPicture(path: string): Promise<Blob | undefined>;
}

export const projectPaths = Facet.define<ProjectPaths, ProjectPaths | undefined>({
  combine: ([first]) => first,
});

/** Completes paths in every language, without the language services too. */
export const pathCompletion: Extension = [
  EditorState.languageData.of(() => [{ autocomplete: completePath }]),
  EditorView.baseTheme({
    '.cm-completion-picture': {
      margin: '0',
      padding: '8px',
      font: '12px/16px var(--editor-interface-font)',
      color: 'var(--editor-gutter-foreground)',
    },
    '.cm-completion-picture img': {
      display: 'block',
      maxWidth: '240px',
      maxHeight: '160px',
      marginBottom: '4px',
      // A checkerboard shows through transparent pictures.
      background: 'repeating-conic-gradient(#999 0 25%, #fff 0 50%) 0 0 / 16px 16px',
    },
  }),
];

/** A path that is being typed. */
interface TypedPath {
  readonly typed: string;
  /** Files resolve it relative to their folder, JSX relative to the page. */
  readonly base: 'file' | 'page';
  /** An import, in which a path starts with a dot, and names without one are packages. */
  readonly isImport?: boolean;
  /** Extensions of the files that are likely meant, which are listed first. */
  readonly likely?: RegExp | undefined;
}

const pictures = /^(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|apng)$/;
const stylesheets = /^(?:p?css|postcss|scss|sass|less)$/;
const fonts = /^(?:woff2?|ttf|otf)$/;
const scripts = /^(?:[cm]?[jt]s|[jt]sx)$/;
const pages = /^html?$/;
const media = /^(?:mp[34]|webm|og[gv]|wav|m4[av]|mov|flac|aac|opus|vtt)$/;

/** Completes a path before the cursor. */
export function completePath(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const files = state.facet(projectPaths);
  const found = files && findTypedPath(context);
  // Addresses of other sites, fragments, and data.
  if (!found || /^(?:[a-z][a-z\d+.-]*:|\/\/|#|\?)/i.test(found.typed)) return null;
  if (!explicit && found.isImport && /^[^./]/.test(found.typed)) return null;
  const path = state.facet(filePath);
  const hasTypeScript = state.facet(hasLanguageService);
  const options = files
    .list()
    .filter((target) => target !== path && isOffered(target, found, hasTypeScript))
    .map((target) => toOption(target, path, found, files));
  // A path that begins otherwise is offered in another form.
  const form = /^(?:\.{0,2}\/|\.{1,2})?/.exec(found.typed)?.[0] ?? '';
  return {
    from: pos - found.typed.length,
    options,
    validFor: (text) => text.startsWith(form) && !/["'<>()\n]|^[./]/.test(text.slice(form.length)),
  };
}

/** TypeScript completes scripts in imports, so that they have the ending that the project uses. */
function isOffered(
  target: string,
  { isImport = false }: TypedPath,
  hasTypeScript: boolean,
): boolean {
  if (/(?:^|\/)\./.test(target)) return false;
  return !(isImport && hasTypeScript && scripts.test(getExtension(target)));
}

function toOption(
  target: string,
  path: string,
  typedPath: TypedPath,
  files: ProjectPaths,
): Completion {
  const extension = getExtension(target);
  const label = formatPath(target, path, typedPath);
  const address = typedPath.isImport ? label : encodeAddress(label);
  return {
    label,
    ...(address !== label && { apply: address }),
    type: 'text',
    boost: typedPath.likely?.test(extension) ? 20 : 0,
    ...(pictures.test(extension) && { info: () => showPicture(target, files) }),
  };
}

/** The path of a target in the form that was begun: from the root, or relative. */
function formatPath(target: string, path: string, { typed, base, isImport }: TypedPath): string {
  const isPublic = target.startsWith(publicFolder) && !path.startsWith(publicFolder);
  const served = isPublic && !isImport ? target.slice(publicFolder.length) : target;
  if (typed.startsWith('/') || served !== target) return `/${served}`;
  const folders = base === 'page' ? [] : path.split('/').slice(0, -1);
  const names = target.split('/');
  const common = folders.findIndex((folder, index) => names[index] !== folder);
  const shared = common === -1 ? folders.length : common;
  const relative = '../'.repeat(folders.length - shared) + names.slice(shared).join('/');
  const needsDot = isImport || typed.startsWith('.');
  return needsDot && !relative.startsWith('.') ? `./${relative}` : relative;
}

/** Encodes what would end an address: "my sea #1.jpg" → "my%20sea%20%231.jpg". */
function encodeAddress(path: string): string {
  // `encodeURIComponent` leaves quotes and parentheses.
  const marks: Readonly<Record<string, string>> = { "'": '%27', '(': '%28', ')': '%29' };
  return path.replace(
    /[\s"'()<>#?%,]/g,
    (character) => marks[character] ?? encodeURIComponent(character),
  );
}

/** Shows a picture with its size beside the list. */
async function showPicture(path: string, { loadPicture }: ProjectPaths) {
  const bytes = await loadPicture(path).catch(() => undefined);
  if (!bytes) return null;
  const url = URL.createObjectURL(bytes);
  const dom = document.createElement('figure');
  dom.className = 'cm-completion-picture';
  const picture = document.createElement('img');
  const caption = document.createElement('figcaption');
  picture.alt = '';
  picture.src = url;
  dom.append(picture, caption);
  const destroy = () => URL.revokeObjectURL(url);
  try {
    await picture.decode();
  } catch {
    // The browser can't show it.
    destroy();
    return null;
  }
  caption.textContent = `${picture.naturalWidth} × ${picture.naturalHeight}`;
  return { dom, destroy };
}

function findTypedPath({ state, pos }: CompletionContext): TypedPath | undefined {
  const path = state.facet(filePath);
  const before = state.sliceDoc(Math.max(0, pos - 2_000), pos);
  if (isScriptAt(state, pos)) return findInScript(before, path.endsWith('x') || !isScript(path));
  if (isStyle(path)) return findInStyle(before);
  if (isMarkup(path))
    return isInElement(state, pos, 'style') ? findInStyle(before) : findInTag(before);
  if (/^(?:md|markdown)$/.test(getExtension(path))) return findInMarkdown(before);
  return undefined;
}

/** In an attribute: `<img alt="" src="se|`. */
function findInTag(before: string): TypedPath | undefined {
  const tag = /<[a-z][^<]*$/i.exec(before)?.[0] ?? '';
  const attribute =
    /\s([\w:.-]+)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'<>=`{]*))$/.exec(tag)?.slice(1) ?? [];
  const [name = '', ...values] = attribute;
  const value = values.join('');
  const tagName = /^<([\w.:-]+)/.exec(tag)?.[1]?.toLowerCase() ?? '';
  switch (name.toLowerCase()) {
    case 'style':
      return findInStyle(value);
    case 'srcset':
    case 'imagesrcset':
      return findCandidate(value, 'file');
    case 'poster':
    case 'background':
      return { typed: value.trimStart(), base: 'file', likely: pictures };
    case 'data':
      if (tagName !== 'object') return undefined;
      return { typed: value.trimStart(), base: 'file' };
    case 'src':
    case 'href':
    case 'xlink:href':
    case 'action':
    case 'formaction':
      return { typed: value.trimStart(), base: 'file', likely: findLikely(tagName, tag) };
    default:
      return undefined;
  }
}

/** The last of several image candidates, before its size: `a.png 1x, b|`. */
function findCandidate(value: string, base: TypedPath['base']): TypedPath | undefined {
  const typed = /(?:^|,)\s*([^\s,]*)$/.exec(value)?.[1];
  return typed === undefined ? undefined : { typed, base, likely: pictures };
}

function findLikely(tagName: string, tag: string): RegExp | undefined {
  switch (tagName) {
    case 'img':
    case 'image':
    case 'input':
      return pictures;
    case 'link':
      return /\brel\s*=\s*["']?[^"'>]*\bicon\b/i.test(tag) ? pictures : stylesheets;
    case 'script':
      return scripts;
    case 'audio':
    case 'video':
    case 'source':
    case 'track':
      return media;
    default:
      return pages;
  }
}

/** In `url()`, or in an import of a stylesheet. */
function findInStyle(before: string): TypedPath | undefined {
  const imported = /@(?:import|use|forward)\s+(?:url\(\s*)?(?:"([^"\n;]*)|'([^'\n;]*))$/i.exec(
    before,
  );
  if (imported) return { typed: imported.slice(1).join(''), base: 'file', likely: stylesheets };
  const url = /\burl\(\s*(?:"([^"\n]*)|'([^'\n]*)|([^"'()\s]*))$/i.exec(before);
  if (!url) return undefined;
  const likely = /@font-face\s*\{[^{}]*$/i.test(before) ? fonts : pictures;
  return { typed: url.slice(1).join(''), base: 'file', likely };
}

/** A string at the end of the text before the cursor: its content is the only group that matched. */
const stringEnd = /(?:"([^"\n]*)|'([^'\n]*)|`([^`\n$]*))$/.source;
const moduleImport = new RegExp(
  String.raw`(?:\bfrom|\bimport|\b(?:import|require|mock|importActual)\s*\()\s*` + stringEnd,
);
const moduleUrl = new RegExp(String.raw`\bnew\s+URL\s*\(\s*` + stringEnd);
const pageUrl = new RegExp(
  String.raw`(?:\b(?:fetch|Audio|Worker|SharedWorker)\s*\(|\.(?:src|href|poster)\s*=)\s*` +
    stringEnd,
);
const jsxAttribute = new RegExp(
  String.raw`\s(src|href|poster|xlinkHref|action|srcSet|imageSrcSet)\s*=\s*\{?\s*` + stringEnd,
);

function findInScript(before: string, hasJsx: boolean): TypedPath | undefined {
  const imported = moduleImport.exec(before);
  if (imported) return { typed: imported.slice(1).join(''), base: 'file', isImport: true };
  const url = moduleUrl.exec(before);
  if (url) return { typed: url.slice(1).join(''), base: 'file' };
  const address = pageUrl.exec(before);
  if (address) return { typed: address.slice(1).join(''), base: 'page' };
  const [, name = '', ...values] = (hasJsx && jsxAttribute.exec(before)) || [];
  if (name === '') return undefined;
  const value = values.join('');
  if (/srcset$/i.test(name)) return findCandidate(value, 'page');
  const tag = /<([a-z][\w.-]*)[^<]*$/i.exec(before);
  return { typed: value, base: 'page', likely: findLikely(tag?.[1] ?? '', tag?.[0] ?? '') };
}

/** In a link, a picture or a definition; also in HTML. */
function findInMarkdown(before: string): TypedPath | undefined {
  const link = /(!?)\[[^\]\n]*\]\(\s*<?([^)\s>]*)$/.exec(before);
  if (link) return { typed: link[2] ?? '', base: 'file', likely: link[1] ? pictures : undefined };
  const definition = /(?:^|\n) {0,3}\[[^\]\n]+\]:[ \t]*<?(\S*)$/.exec(before);
  if (definition) return { typed: definition[1] ?? '', base: 'file' };
  return findInTag(before);
}
