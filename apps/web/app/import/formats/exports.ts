import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { convertCodePenExport, isCodePenExport } from './codepen.ts';
import { completeProject, hasPackage, readManifest, settingsFiles } from './complete-project.ts';
import { convertLiveCodes, isLiveCodesProject } from './livecodes.ts';
import { createPageProject, sortResources } from './page-project.ts';

type Contents = ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>;

/**
 * Converts what CodePen, JSFiddle, JS Bin, LiveCodes, CodeSandbox, StackBlitz and Glitch export to
 * a project with a page. Undefined for files that aren't theirs.
 *
 * @param files Contents by path, without a folder around them all.
 */
export function convertForeignFiles(files: Contents): ImportedFiles | undefined {
  const texts = new Map<string, string>();
  for (const [path, content] of files) if (typeof content === 'string') texts.set(path, content);
  const paths = [...files.keys()];
  if (isCodePenExport(texts)) return addOthers(convertCodePenExport(texts), files);
  if (isFiddle(texts))
    return addOthers(convertFiddle(texts), files, /^demo\.(?:html|css|js|details)$/);
  if (files.size === 1) {
    const [[path, text] = ['', '']] = texts;
    return path.endsWith('.json') ? convertJson(text) : convertSavedPage(text);
  }
  if (isGlitchServer(texts)) return convertGlitchServer(files);
  return isOfOtherEditor(paths, texts.get('package.json'))
    ? completeProject({ files, leftOut: [] })
    : undefined;
}

/** Adds the files that a conversion hasn't read: binary ones, and those not matching `read`. */
function addOthers(imported: ImportedFiles, files: Contents, read?: RegExp): ImportedFiles {
  const all = new Map(imported.files);
  for (const [path, content] of files)
    if (read ? !read.test(path) : typeof content !== 'string') all.set(path, content);
  return { ...imported, files: all };
}

function isFiddle(texts: ReadonlyMap<string, string>): boolean {
  const hasPanels = texts.has('demo.html') && (texts.has('demo.js') || texts.has('demo.css'));
  return hasPanels && !texts.has('index.html');
}

/** `demo.html`, `demo.css`, `demo.js`, and `demo.details` in YAML: a fiddle as JSFiddle loads it. */
function convertFiddle(texts: ReadonlyMap<string, string>): ImportedFiles {
  const details = texts.get('demo.details') ?? '';
  const [, resources = ''] = /^resources:\s*\n((?:[ \t]*-.*\n?)+)/m.exec(details) ?? [];
  const addresses = Array.from(resources.matchAll(/-\s*(\S+)/g), ([, address]) => address ?? '');
  const title = /^name:\s*(.+)$/m.exec(details)?.[1]?.trim();
  const panel = (extension: string) => ({
    code: texts.get(`demo.${extension}`) ?? '',
    language: extension,
  });
  const wrap = /^wrap:\s*(\S+)/m.exec(details)?.[1];
  return createPageProject({
    ...(title && { title }),
    html: panel('html'),
    css: panel('css'),
    js: panel('js'),
    ...sortResources(addresses),
    leftOut: wrap === undefined ? [] : [{ path: `wrap: ${wrap}`, reason: 'settings' }],
  });
}

function convertJson(text: string): ImportedFiles | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isLiveCodesProject(json) ? convertLiveCodes(json) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * A page as JS Bin saves it, with its panels in elements of their own and, if they were compiled,
 * their sources in `jsbin-source-…`; or as JSFiddle shows it, with the style in `compiled-css`.
 */
function convertSavedPage(page: string): ImportedFiles | undefined {
  const isJsBin = /\bid=["']jsbin-(?:javascript|css|source-\w+)["']/.test(page);
  const isFiddle = /<style\s[^>]*\bid=["']compiled-css["']/.test(page);
  if (!isJsBin && !isFiddle) return undefined;
  const leftOut: LeftOut[] = [];
  let rest = page;
  /** Removes the element with this id. Its text; undefined if there is none. */
  const cut = (id: string): string | undefined => {
    const element = new RegExp(
      String.raw`[ \t]*<(script|style)\b[^>]*\bid=["']${id}["'][^>]*>([^]*?)</\1>\n?`,
      'i',
    ).exec(rest);
    if (!element) return undefined;
    rest = rest.slice(0, element.index) + rest.slice(element.index + element[0].length);
    return element[2]?.replaceAll(String.raw`<\/script`, '</script').trim();
  };
  const style = cut(isJsBin ? 'jsbin-css' : 'compiled-css');
  let script = isJsBin ? cut('jsbin-javascript') : undefined;
  if (isFiddle) {
    // JSFiddle's own scripts: one that is empty, and one that reports the height to its page.
    rest = rest.replace(
      /[ \t]*<script\b[^>]*\bsrc=["']\/js\/lib\/dummy\.js["'][^>]*><\/script>\n?/,
      '',
    );
    rest = rest.replace(/[ \t]*<script>\s*\/\/ tell the embed parent frame[^]*?<\/script>\n?/, '');
    const inline = /[ \t]*<script\b[^>]*>\s*\/\/<!\[CDATA\[([^]*?)\/\/\]\]>\s*<\/script>\n?/.exec(
      rest,
    );
    if (inline) {
      script = inline[1]?.trim();
      rest = rest.slice(0, inline.index) + rest.slice(inline.index + inline[0].length);
    }
  }
  const sources = {
    html: cut('jsbin-source-html'),
    css: cut('jsbin-source-css'),
    javascript: cut('jsbin-source-javascript'),
  };
  // A source in a language without a name: what it was compiled to is imported.
  for (const [name, source] of Object.entries(sources))
    if (source !== undefined && source !== (name === 'css' ? style : name === 'html' ? '' : script))
      leftOut.push({ path: `Source of ${name}`, reason: 'compiled' });
  const title = /<title>([^<]*)<\/title>/i.exec(rest)?.[1]?.trim();
  return createPageProject({
    ...(title && { title }),
    html: { code: rest, language: 'html' },
    css: { code: style ? `${style}\n` : '', language: 'css' },
    js: { code: script ? `${script}\n` : '', language: 'js' },
    leftOut,
  });
}

/** A Glitch project whose page is one that its server sends, with what it serves in `public/`. */
function isGlitchServer(texts: ReadonlyMap<string, string>): boolean {
  return (
    texts.has('views/index.html') &&
    texts.has('server.js') &&
    !texts.has('index.html') &&
    !texts.has('public/index.html')
  );
}

function convertGlitchServer(files: Contents): ImportedFiles {
  const converted = new Map<string, string | Uint8Array<ArrayBuffer>>();
  const leftOut: LeftOut[] = [];
  for (const [path, content] of files) {
    if (path === 'views/index.html') converted.set('index.html', content);
    else if (path.startsWith('public/')) converted.set(path.slice('public/'.length), content);
    else if (/^(?:README\.md|LICENSE[\w.]*|\.glitch-assets|glitch\.json)$/i.test(path))
      converted.set(path, content);
    else leftOut.push({ path, reason: 'server' });
  }
  return completeProject({ files: converted, leftOut });
}

/** Whether a file says that the project is of an editor that builds pages in its own way. */
function isOfOtherEditor(paths: readonly string[], manifest: string | undefined): boolean {
  if (paths.some((path) => settingsFiles.test(path))) return true;
  if (hasPackage(manifest, ['parcel-bundler', 'parcel', '@vue/cli-service'])) return true;
  // StackBlitz gives its projects without a Node server this version, and no scripts.
  const { version, scripts } = readManifest(manifest) ?? {};
  return version === '0.0.0' && scripts === undefined;
}

/** Whether paths look like an export that `convertForeignFiles` converts, so that it has to be read. */
export function mayBeForeign(paths: readonly string[]): boolean {
  return (
    paths.length === 1 ||
    paths.some(
      (path) =>
        settingsFiles.test(path) ||
        /^(?:dist\/index\.html|demo\.html|views\/index\.html|package\.json)$/.test(path),
    )
  );
}
