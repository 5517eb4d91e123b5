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

/** A project and the language services for its markup and styles. */
export interface Known {
  readonly files: ProjectFiles;
  readonly styles: Readonly<Record<Dialect, StyleService>>;
  markupOf(file: ReadFile): HtmlService;
}

/** Documentation is requested as plain text, since it is not rendered as Markdown. */
const clientCapabilities = {
  textDocument: {
    completion: { completionItem: { documentationFormat: ['plaintext' as const] } },
    hover: { contentFormat: ['plaintext' as const] },
  },
};

/** Creates the language services for a project, with data for HTML, Vue and Svelte. */
export function createKnown(files: ProjectFiles): Known {
  const options = { fileSystemProvider: files.fileSystem, clientCapabilities };
  const createHtmlService = (...customData: Parameters<typeof newHTMLDataProvider>[]) =>
    getLanguageService({
      ...options,
      useDefaultDataProvider: false,
      customDataProviders: [
        getDefaultHTMLDataProvider(),
        ...customData.map((each) => newHTMLDataProvider(...each)),
      ],
    });
  const html = createHtmlService();
  const vue = createHtmlService(['vue', vueWords]);
  const svelte = createHtmlService(['svelte', svelteWords]);
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
