import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
import { cutComments } from '@vitrine/editor/cut-comments';
import { defineConfig, type Plugin } from 'vite';
import { groupChunks, sharedPages } from './chunks.ts';
import { nameFirstScript } from './first-script.ts';

// How long its plugins took is nothing to whoever starts the app.
const rolldownOptions = { checks: { bundlerTimings: false } };

/** ESLint cuts names of files with it. Nothing else of Node is there. */
const pathsOfNode: Plugin = {
  name: 'paths-of-node',
  enforce: 'pre',
  resolveId: (id) => (id === 'node:path' ? fileURLToPath(import.meta.resolve('pathe')) : undefined),
};

/** The language’s declarations, with `?code` and with `?comments`. */
const partsOfDeclarations: Plugin = {
  name: 'parts-of-declarations',
  enforce: 'pre',
  load(id) {
    const [path = '', part] = id.split('?');
    if (part !== 'code' && part !== 'comments') return undefined;
    const cut = cutComments(readFileSync(path, 'utf8'));
    return { code: `export default ${JSON.stringify(cut[part])};`, moduleType: 'js' };
  },
};

/**
 * Browsers keep a script with two bytes a letter, or with one if it has none beyond Latin-1, as
 * TypeScript’s worker does but for the corners of boxes.
 */
const lettersOfTypeScript: Plugin = {
  name: 'letters-of-typescript',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk' && /^(?:language-worker|lib-comments)$/.test(file.name))
        file.code = file.code.replace(/[\u0080-\uffff]/g, toEscape);
  },
};

function toEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Emacs’ keys are bound by calls that say of themselves that they do nothing. */
const keysOfEmacs: Plugin = {
  name: 'keys-of-emacs',
  transform: (code, id) =>
    id.includes('/@replit/codemirror-emacs/')
      ? code.replaceAll('/*@__PURE__*/EmacsHandler.', 'EmacsHandler.')
      : undefined,
};

/** It tries whether text can become functions, which the pages' policy refuses and reports. */
const textOfEmnapi: Plugin = {
  name: 'text-of-emnapi',
  transform: (code, id) =>
    id.includes('/@emnapi/runtime/')
      ? code.replace('f = new Function();', 'return false;')
      : undefined,
};

export default defineConfig({
  plugins: [reactRouter(), keysOfEmacs, textOfEmnapi, sharedPages, nameFirstScript],
  // One file instead of hundreds of modules takes 100 MB less of the server's memory. What the server
  // itself imports too must stay one copy.
  ssr: { noExternal: true, external: ['react', 'react-dom', 'react-router', 'yjs'] },
  resolve: {
    alias: [
      // ESLint calls for its form in CommonJS, and is given the other one.
      { find: /^esquery$/, replacement: 'esquery/dist/esquery.min.js' },
      // The worker that lints may not make functions of text.
      { find: /^ajv$/, replacement: fileURLToPath(import.meta.resolve('@vitrine/editor/schemas')) },
    ],
  },
  // Modules, so that a worker can load the larger part of itself when it is needed.
  worker: {
    format: 'es',
    rolldownOptions,
    plugins: () => [pathsOfNode, partsOfDeclarations, lettersOfTypeScript],
  },
  // One stylesheet: the page's first paint, and with it the result's, would wait for a dozen small ones.
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions,
  },
  environments: {
    client: {
      build: { rolldownOptions: { output: { codeSplitting: { groups: groupChunks() } } } },
    },
  },
});
