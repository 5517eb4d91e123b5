import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
import { stripComments } from '@vitrine/editor/strip-comments';
import { defineConfig, type Plugin } from 'vite';
import { groupChunks, sharedPageChunks } from './chunks.ts';
import { earlyEditorPlugin } from './first-script.ts';

// Plugin timings are noise for users who only start the app.
const rolldownOptions = { checks: { bundlerTimings: false } };

/** Replaces `node:path`, the only Node module that ESLint needs, for its worker. */
const nodePathPolyfill: Plugin = {
  name: 'node-path-polyfill',
  enforce: 'pre',
  resolveId: (id) => (id === 'node:path' ? fileURLToPath(import.meta.resolve('pathe')) : undefined),
};

/** Loads TypeScript's lib declarations split by query: `?code` without comments, or `?comments`. */
const splitDeclarations: Plugin = {
  name: 'split-declarations',
  enforce: 'pre',
  load(id) {
    const [path = '', part] = id.split('?');
    if (part !== 'code' && part !== 'comments') return undefined;
    const cut = stripComments(readFileSync(path, 'utf8'));
    return { code: `export default ${JSON.stringify(cut[part])};`, moduleType: 'js' };
  },
};

/** Replaces Node's module that Svelte 3's compiler requires where there is no global `URL`. */
const withoutUrlModule: Plugin = {
  name: 'without-url-module',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === 'url' && importer?.includes('/svelte3/') === true ? '\0without-url-module' : undefined,
  load: (id) => (id === '\0without-url-module' ? 'export {};' : undefined),
};

/**
 * Escapes non-ASCII characters. Browsers keep a script's source with one byte per character if it
 * is all Latin-1, otherwise with two; the TypeScript worker's only others are box-drawing
 * characters.
 */
const escapeNonAscii: Plugin = {
  name: 'escape-non-ascii',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk' && /^(?:language-worker|lib-comments)$/.test(file.name))
        file.code = file.code.replace(/[\u0080-\uffff]/g, toEscape);
  },
};

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Keeps the calls that bind the Emacs keys, which are wrongly annotated as pure. */
const keepEmacsKeys: Plugin = {
  name: 'keep-emacs-keys',
  transform: (code, id) =>
    id.includes('/@replit/codemirror-emacs/')
      ? code.replaceAll('/*@__PURE__*/EmacsHandler.', 'EmacsHandler.')
      : undefined,
};

/** Removes emnapi's test for `new Function`, which the pages' CSP would block and report. */
const emnapiWithoutEval: Plugin = {
  name: 'emnapi-without-eval',
  transform: (code, id) =>
    id.includes('/@emnapi/runtime/')
      ? code.replace('f = new Function();', 'return false;')
      : undefined,
};

/** Replaces the function that Vite wraps around every `import()` of pages by the app's. */
const importCodeByApp: Plugin = {
  name: 'import-code-by-app',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  load: (id) =>
    id === '\0vite/preload-helper.js'
      ? `export { importCode as __vitePreload } from ${JSON.stringify(importCodePath)};`
      : undefined,
};
const importCodePath = fileURLToPath(new URL('app/import-code.ts', import.meta.url));

export default defineConfig({
  plugins: [
    reactRouter(),
    withoutUrlModule,
    keepEmacsKeys,
    emnapiWithoutEval,
    sharedPageChunks,
    earlyEditorPlugin,
    importCodeByApp,
  ],
  // One bundle instead of hundreds of modules saves 100 MB of the server's memory. Packages that
  // the server also imports itself must stay a single copy.
  ssr: { noExternal: true, external: ['react', 'react-dom', 'react-router', 'yjs'] },
  resolve: {
    alias: [
      // ESLint requires the CommonJS build, which is replaced by the bundled one.
      { find: /^esquery$/, replacement: 'esquery/dist/esquery.min.js' },
      // Ajv compiles schemas to functions, which the lint worker's CSP blocks.
      { find: /^ajv$/, replacement: fileURLToPath(import.meta.resolve('@vitrine/editor/schemas')) },
    ],
  },
  // ES modules, so that a worker can import the larger part of its code on demand.
  worker: {
    format: 'es',
    rolldownOptions,
    plugins: () => [nodePathPolyfill, withoutUrlModule, splitDeclarations, escapeNonAscii],
  },
  // One stylesheet, because the first paint would wait for a dozen small ones.
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Also lists a chunk that imports no others, so that `importCode` knows every file it may fetch.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, others) => (others.length > 0 ? others : [file]),
    },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions,
  },
  environments: {
    client: {
      build: { rolldownOptions: { output: { codeSplitting: { groups: groupChunks() } } } },
    },
  },
});
