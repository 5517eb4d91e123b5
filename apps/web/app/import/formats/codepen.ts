import { isRecord } from '@vitrine/project';
import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { damaged, parseLinkJson } from './decode.ts';
import { createManifests, findPackages } from './manifests.ts';
import { createPageProject, escapeAttribute, hasModuleSyntax } from './page-project.ts';

/**
 * Converts the `data` of CodePen's prefill form: JSON with a pen. Its fields about the pen itself,
 * such as its tags, privacy and layout, have no counterpart in a draft. Throws `link_damaged`.
 */
export function readCodePenData(data: string): ImportedFiles {
  const pen = parseLinkJson(data);
  if (!isRecord(pen)) throw damaged();
  const text = (name: string) => {
    const value = pen[name];
    return typeof value === 'string' ? value : '';
  };
  const leftOut: LeftOut[] = [];
  for (const name of ['css_starter', 'css_prefix'])
    if (!/^(?:neither|none|autoprefixer|)$/.test(text(name)))
      leftOut.push({ path: text(name), reason: 'settings' });
  const classes = text('html_classes');
  return createPageProject({
    ...(text('title') !== '' && { title: text('title') }),
    head: text('head'),
    htmlAttributes: `lang="en"${classes === '' ? '' : ` class="${escapeAttribute(classes)}"`}`,
    html: { code: text('html'), language: text('html_pre_processor') },
    css: { code: text('css'), language: text('css_pre_processor') },
    js: { code: text('js'), language: text('js_pre_processor') },
    stylesheets: splitAddresses(pen['css_external']),
    scripts: splitAddresses(pen['js_external']),
    leftOut,
  });
}

/** "https://a.test/a.css;https://b.test/b.css", or a list of them → both */
export function splitAddresses(value: unknown): string[] {
  const list = typeof value === 'string' ? value.split(/[;\n]/) : Array.isArray(value) ? value : [];
  return list.flatMap((address) =>
    typeof address === 'string' && address.trim() !== '' ? [address.trim()] : [],
  );
}

/** Whether these are the files of a pen's zip: CodePen's page has its comment, or once its title. */
export function isCodePenExport(files: ReadonlyMap<string, string>): boolean {
  const page = files.get('dist/index.html') ?? '';
  const isOfCodePen = page.includes('<!-- partial:') || page.includes('<title>CodePen - ');
  return isOfCodePen && [...files.keys()].some((path) => /^src\/index\.\w+$/.test(path));
}

/** Extensions of a pen's sources that the project can have, and the one they get. */
const styleExtensions: ReadonlyMap<string, string> = new Map([
  ['css', 'css'],
  ['scss', 'scss'],
  ['sass', 'sass'],
  ['less', 'less'],
]);
const scriptExtensions: ReadonlyMap<string, string> = new Map([
  ['js', 'js'],
  ['babel', 'jsx'],
  ['jsx', 'jsx'],
  ['ts', 'ts'],
  ['tsx', 'tsx'],
]);

/**
 * Converts a pen's zip: `src/` has the panels as written, `dist/` what they compile to, with the
 * page around them: its head, its classes and the external resources. The page is that of `dist/`
 * with the sources of `src/`, or what they were compiled to if nothing here compiles them.
 */
export function convertCodePenExport(files: ReadonlyMap<string, string>): ImportedFiles {
  const converted = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  let page = (files.get('dist/index.html') ?? '').replace(
    /[ \t]*<!-- partial(?::index\.partial\.html)? -->\n?/g,
    '',
  );
  const find = (name: string) => [...files.keys()].find((path) => path.startsWith(`src/${name}.`));
  /** The path that a panel's file gets, with its code. */
  const take = (name: string, compiled: string, extensions: ReadonlyMap<string, string>) => {
    const source = find(name);
    const extension = extensions.get(source?.slice(`src/${name}.`.length) ?? '');
    if (source !== undefined && extension !== undefined)
      return { path: `${name}.${extension}`, code: files.get(source) ?? '' };
    if (source !== undefined) leftOut.push({ path: source, reason: 'compiled' });
    return { path: compiled, code: files.get(`dist/${compiled}`) ?? '' };
  };

  const markup = find('index');
  if (markup !== undefined && !markup.endsWith('.html'))
    leftOut.push({ path: markup, reason: 'compiled' });
  const style = take('style', 'style.css', styleExtensions);
  if (/<link\b[^>]*\bhref=["']\.\/style\.css/.test(page)) converted.set(style.path, style.code);
  page = page.replaceAll(/(\bhref=["'])\.\/style\.css/g, `$1${style.path}`);

  const script = take('script', 'script.js', scriptExtensions);
  // Babel is for JSX as well as for what browsers have run for long.
  if (script.path === 'script.jsx' && !/<[A-Za-z>]/.test(script.code)) script.path = 'script.js';
  const isModule = hasModuleSyntax(script.code);
  const tag = /<script\b([^>]*?)\s+src=(["'])\.\/script\.js\2([^>]*)>/;
  if (tag.test(page)) {
    converted.set(script.path, script.code);
    page = page.replace(tag, (_, before: string, __, after: string) => {
      const type = isModule && !/\btype=/.test(before + after) ? ' type="module"' : '';
      return `<script${before}${type} src="${script.path}"${after}>`;
    });
    if (/\.[jt]sx$/.test(script.path) && !isModule)
      converted.set('tsconfig.json', '{\n  "compilerOptions": { "jsx": "react" }\n}\n');
  }
  for (const [path, text] of createManifests(findPackages(converted.values())))
    converted.set(path, text);
  page = page.replace(/(<title>)CodePen - /, '$1');
  const title = /<title>([^<]*)<\/title>/.exec(page)?.[1]?.trim();
  converted.set('index.html', page);
  for (const [path, text] of files) if (!/^(?:src|dist)\//.test(path)) converted.set(path, text);
  const kept = new Set([markup, find('style'), find('script')]);
  for (const path of files.keys()) {
    const isOfPen = kept.has(path) || /^dist\/(?:index\.html|style\.\w+|script\.\w+)$/.test(path);
    if (/^(?:src|dist)\//.test(path) && !isOfPen) converted.set(path, files.get(path) ?? '');
  }
  return { ...(title && { title }), files: converted, leftOut };
}
