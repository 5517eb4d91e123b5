import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
  type LanguageService as StyleService,
} from 'vscode-css-languageservice';
import {
  getDefaultHTMLDataProvider,
  getLanguageService,
  newHTMLDataProvider,
  type LanguageService as HtmlService,
} from 'vscode-html-languageservice';
import type { ProjectFiles } from './project-files.ts';
import type { Dialect } from './regions.ts';
import type { ReadFile } from './read-file.ts';
import { svelteWords } from './svelte-words.ts';
import { vueWords } from './vue-words.ts';

/** The files of a project and what understands them. */
export interface Known {
  readonly files: ProjectFiles;
  readonly styles: Readonly<Record<Dialect, StyleService>>;
  markupOf(file: ReadFile): HtmlService;
}

/** What they say is shown as it is. */
const plain = {
  textDocument: {
    completion: { completionItem: { documentationFormat: ['plaintext' as const] } },
    hover: { contentFormat: ['plaintext' as const] },
  },
};

export function createKnown(files: ProjectFiles): Known {
  const options = { fileSystemProvider: files.fileSystem, clientCapabilities: plain };
  const withWords = (...words: Parameters<typeof newHTMLDataProvider>[]) =>
    getLanguageService({
      ...options,
      useDefaultDataProvider: false,
      customDataProviders: [
        getDefaultHTMLDataProvider(),
        ...words.map((each) => newHTMLDataProvider(...each)),
      ],
    });
  const html = withWords();
  const vue = withWords(['vue', vueWords]);
  const svelte = withWords(['svelte', svelteWords]);
  return {
    files,
    styles: {
      css: getCSSLanguageService(options),
      scss: getSCSSLanguageService(options),
      less: getLESSLanguageService(options),
    },
    markupOf: ({ kind }) => (kind === 'vue' ? vue : kind === 'svelte' ? svelte : html),
  };
}
