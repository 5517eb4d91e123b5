import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { createManifests, findPackages } from './manifests.ts';

/** One panel of an editor with a panel each for HTML, CSS and JavaScript. */
interface Panel {
  readonly code: string;
  /** As the other editor calls it, in any case: "SCSS", "babel", "none". */
  readonly language: string;
}

/** A page in three panels, as CodePen, JSFiddle, JS Bin and LiveCodes have it. */
interface PageParts {
  readonly title?: string;
  readonly html?: Panel;
  readonly css?: Panel;
  readonly js?: Panel;
  /** HTML for the head. */
  readonly head?: string;
  /** Attributes of the `<html>` element, as written. */
  readonly htmlAttributes?: string;
  /** Addresses of stylesheets that the page loads before its own. */
  readonly stylesheets?: readonly string[];
  /** Addresses of scripts that the page loads before its own. */
  readonly scripts?: readonly string[];
  /** Ranges of packages, by name. */
  readonly ranges?: ReadonlyMap<string, string>;
  readonly leftOut?: readonly LeftOut[];
}

/** Extensions of the languages that the project can have, by their names in other editors. */
const extensions: ReadonlyMap<string, string> = new Map([
  ...['', 'none', 'html', 'css', 'javascript', 'js'].map((name): [string, string] => [name, '']),
  ['markdown', 'md'],
  ['md', 'md'],
  ['scss', 'scss'],
  ['sass', 'sass'],
  ['less', 'less'],
  // PostCSS is CSS with plug-ins; what they do to nesting and prefixes, browsers do themselves.
  ['postcss', 'css'],
  ['babel', 'jsx'],
  ['jsx', 'jsx'],
  ['react', 'jsx'],
  ['react-jsx', 'jsx'],
  ['typescript', 'ts'],
  ['ts', 'ts'],
  ['tsx', 'tsx'],
  ['react-tsx', 'tsx'],
  ['vue', 'vue'],
  ['vue3', 'vue'],
  ['svelte', 'svelte'],
  ['solid', 'solid.jsx'],
  ['solid.tsx', 'solid.tsx'],
]);

/** Extensions of languages that are only kept as files, since nothing here compiles them. */
const sourceExtensions: ReadonlyMap<string, string> = new Map([
  ['stylus', 'styl'],
  ['coffeescript', 'coffee'],
  ['livescript', 'ls'],
]);

/** Creates the page with its files. */
export function createPageProject(parts: PageParts): ImportedFiles {
  const { html, css, js } = parts;
  const files = new Map<string, string>();
  const leftOut = [...(parts.leftOut ?? [])];
  /** Adds a panel's file. Its extension; undefined if it is empty or can't be compiled. */
  const add = (panel: Panel | undefined, name: string, plain: string): string | undefined => {
    if (!panel || panel.code.trim() === '') return undefined;
    const language = panel.language.trim().toLowerCase();
    const extension = extensions.get(language);
    if (extension !== undefined) return extension === '' ? plain : extension;
    const path = `${name}.${sourceExtensions.get(language) ?? language.replaceAll(/[^\w-]/g, '')}`;
    files.set(path, panel.code);
    leftOut.push({ path: panel.language, reason: 'unsupported' });
    return undefined;
  };

  const head: string[] = (parts.stylesheets ?? []).map(
    (address) => `<link rel="stylesheet" href="${escapeAttribute(address)}" />`,
  );
  const style = add(css, 'style', 'css');
  if (css && style !== undefined) {
    files.set(`style.${style}`, css.code);
    head.push(`<link rel="stylesheet" href="style.${style}" />`);
  }
  const body: string[] = (parts.scripts ?? []).map(
    (address) => `<script src="${escapeAttribute(address)}"></script>`,
  );
  const script = add(js, 'script', 'js');
  let mount = '';
  if (js && script !== undefined) {
    const added = createScriptFiles(script, js.code);
    for (const [path, text] of added.files) files.set(path, text);
    const type = added.isModule ? 'type="module" ' : '';
    body.push(`<script ${type}src="${added.entry}"></script>`);
    mount = added.mount;
  }
  const packages = findPackages(files.values());
  for (const [path, text] of createManifests(packages, parts.ranges)) files.set(path, text);

  const markup = add(html, 'index', 'html');
  const code = html && markup !== undefined ? html.code : '';
  if (markup === 'md') {
    const tags = [parts.head ?? '', ...head, code, mount, ...body].filter((tag) => tag !== '');
    files.set('index.md', `${tags.join('\n\n')}\n`);
  } else files.set('index.html', createPage(parts, { code, mount, head, body }));
  return { ...(parts.title !== undefined && { title: parts.title }), files, leftOut };
}

/** Which of a list of addresses are stylesheets, and which scripts. */
export function sortResources(
  addresses: readonly string[],
): Required<Pick<PageParts, 'stylesheets' | 'scripts'>> {
  const { stylesheets = [], scripts = [] } = Object.groupBy(addresses, (address) =>
    /\.css(?:[?#]|$)/i.test(address) ? 'stylesheets' : 'scripts',
  );
  return { stylesheets, scripts };
}

/** The element of an import map. */
export function createImportMap(imports: Readonly<Record<string, unknown>>): string {
  // "</script>" in an address would end the element.
  const json = JSON.stringify({ imports }, null, 2).replaceAll('<', String.raw`\u003c`);
  return `<script type="importmap">${json}</script>`;
}

interface ScriptFiles {
  readonly files: readonly (readonly [path: string, text: string])[];
  /** The file that the page loads. */
  readonly entry: string;
  readonly isModule: boolean;
  /** Element that the script renders to; empty if it finds one itself. */
  readonly mount: string;
}

/** The files of a script, with one that renders the component that it exports, if it does. */
function createScriptFiles(extension: string, code: string): ScriptFiles {
  const isSolid = extension.startsWith('solid.');
  const language = isSolid ? extension.slice('solid.'.length) : extension;
  const framework = isSolid ? 'solid' : /^(?:vue|svelte)$/.test(language) ? language : 'react';
  const isComponent =
    language === 'vue' ||
    language === 'svelte' ||
    (/^[jt]sx$/.test(language) && /^\s*export\s+default\b/m.test(code));
  if (isComponent) {
    const app = `App.${language}`;
    const entry = /^[jt]sx$/.test(language) ? 'main.jsx' : 'main.js';
    const isPreact = /\bfrom\s*['"]preact\b/.test(code);
    return {
      files: [
        [app, code],
        [entry, createMain(isPreact ? 'preact' : framework, app)],
      ],
      entry,
      isModule: true,
      mount: '<div id="app"></div>',
    };
  }
  const path = `script.${language}`;
  return {
    files: [[path, code], ...(isSolid ? [] : listJsxConfig(path, code))],
    entry: path,
    isModule: hasModuleSyntax(code),
    mount: '',
  };
}

/**
 * `tsconfig.json` for JSX that refers to `React` of a script that the page loads, or of an address
 * that it imports. Empty for other scripts.
 */
export function listJsxConfig(path: string, code: string): [path: string, text: string][] {
  const importsPackage = /\b(?:from|import)\s*['"](?:react|preact|solid-js|vue)\b/.test(code);
  if (!/\.[jt]sx$/.test(path) || importsPackage) return [];
  const config = { compilerOptions: { jsx: 'react' } };
  return [['tsconfig.json', `${JSON.stringify(config, null, 2)}\n`]];
}

/** The script that renders a component into `#app`, or the file it is in as the framework does. */
export function createMain(framework: string, app: string): string {
  switch (framework) {
    case 'vue':
      return `import { createApp } from 'vue';\nimport App from './${app}';\n\ncreateApp(App).mount('#app');\n`;
    case 'svelte':
      return `import { mount } from 'svelte';\nimport App from './${app}';\n\nmount(App, { target: document.getElementById('app') });\n`;
    case 'svelte-4':
      return `import App from './${app}';\n\nnew App({ target: document.getElementById('app') });\n`;
    case 'solid':
      return `import { render } from 'solid-js/web';\nimport App from './${app}';\n\nrender(() => <App />, document.getElementById('app'));\n`;
    case 'preact':
      return `import { render } from 'preact';\nimport App from './${app}';\n\nrender(<App />, document.getElementById('app'));\n`;
    default:
      return `import { createRoot } from 'react-dom/client';\nimport App from './${app}';\n\ncreateRoot(document.getElementById('app')).render(<App />);\n`;
  }
}

/** Whether a script has to be a module. Exact for code whose imports begin their lines. */
export function hasModuleSyntax(code: string): boolean {
  return /^\s*(?:import\s*(?:[\w$*{]|['"])|export\s+(?:default|const|let|var|function|class|async|\{|\*))|\bimport\.meta\b/m.test(
    code,
  );
}

interface PageContent {
  readonly code: string;
  readonly mount: string;
  readonly head: readonly string[];
  readonly body: readonly string[];
}

/** A page around a panel's HTML, or the panel itself with its files if it is a whole page. */
export function createPage(
  { title = '', head = '', htmlAttributes = 'lang="en"' }: PageParts,
  content: PageContent,
): string {
  const { code } = content;
  const body = [content.mount, ...content.body].filter((tag) => tag !== '');
  if (/<(?:!doctype|html|body)\b/i.test(code)) {
    const links = [head, ...content.head].filter((tag) => tag.trim() !== '');
    return insertBefore(insertBefore(code, /<\/head>|<body\b/i, links), /<\/body>/i, body);
  }
  const metas = [
    /<meta\s[^>]*charset/i.test(head) ? '' : '<meta charset="utf-8" />',
    /<meta\s[^>]*viewport/i.test(head)
      ? ''
      : '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    /<title\b/i.test(head) ? '' : `<title>${escapeText(title || 'My page')}</title>`,
    head.trim(),
    ...content.head,
  ].filter((tag) => tag !== '');
  return `<!doctype html>
<html${htmlAttributes === '' ? '' : ` ${htmlAttributes}`}>
  <head>
${metas.map((tag) => `    ${tag}\n`).join('')}  </head>
  <body>
${code.replace(/\n*$/, '')}
${body.map((tag) => `    ${tag}\n`).join('')}  </body>
</html>
`;
}

function insertBefore(page: string, tag: RegExp, added: readonly string[]): string {
  if (added.length === 0) return page;
  const at = tag.exec(page)?.index ?? page.length;
  return `${page.slice(0, at)}${added.map((each) => `${each}\n`).join('')}${page.slice(at)}`;
}

/** Escapes text for an attribute's value in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
