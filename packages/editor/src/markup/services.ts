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
import type { MarkupProject } from './markup-project.ts';
import type { StyleDialect } from './regions.ts';
import type { MarkupFile } from './markup-file.ts';
import { svelteHtmlData } from './svelte-html-data.ts';
import { vueHtmlData } from './vue-html-data.ts';

/** A project and the language services for its markup and styles. */
export interface MarkupContext {
  readonly files: MarkupProject;
  readonly styleServices: Readonly<Record<StyleDialect, StyleService>>;
  getHtmlService(file: MarkupFile): HtmlService;
}

/** Documentation is requested as plain text, since it is not rendered as Markdown. */
const clientCapabilities = {
  textDocument: {
    completion: { completionItem: { documentationFormat: ['plaintext' as const] } },
    hover: { contentFormat: ['plaintext' as const] },
  },
};

/** Creates the language services for a project, with data for HTML, Vue and Svelte. */
export function createMarkupContext(files: MarkupProject): MarkupContext {
  const options = { clientCapabilities };
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
  const vue = createHtmlService(['vue', vueHtmlData]);
  const svelte = createHtmlService(['svelte', svelteHtmlData]);
  return {
    files,
    styleServices: {
      css: getCSSLanguageService(options),
      scss: getSCSSLanguageService(options),
      less: getLESSLanguageService(options),
    },
    getHtmlService: ({ kind }) => (kind === 'vue' ? vue : kind === 'svelte' ? svelte : html),
  };
}
