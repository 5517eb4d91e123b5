import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
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
  worker: { format: 'es', rolldownOptions, plugins: () => [pathsOfNode] },
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
