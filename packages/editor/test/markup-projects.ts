import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
} from 'vscode-css-languageservice';
import { getLanguageService, TextDocument } from 'vscode-html-languageservice';
import { createMarkupHandlers } from '../src/markup/handlers.ts';
import type { MarkupHandlers } from '../src/markup/messages.ts';
import { MarkupProject } from '../src/markup/markup-project.ts';
import { createMarkupContext } from '../src/markup/services.ts';
import type { FilePosition } from '../src/typescript/messages.ts';

/** Files by path. ‸ in one of them is the cursor. */
export type MarkupFiles = Readonly<Record<string, string>>;

/** Consecutive projects in one set of language services, as in the worker. */
export class TestMarkupProject {
  readonly handlers: MarkupHandlers;
  readonly #files = new MarkupProject();

  constructor() {
    this.handlers = createMarkupHandlers(createMarkupContext(this.#files));
  }

  /** Sets the project's files. Returns the position of the cursor. */
  open(files: MarkupFiles): FilePosition {
    const marked = Object.entries(files).find(([, text]) => text.includes('‸'));
    const texts = new Map(
      Object.entries(files).map(([path, text]) => [path, text.replace('‸', '')]),
    );
    this.#files.changeFiles(texts, this.#files.paths());
    this.#files.changeFiles(texts, []);
    return { path: marked?.[0] ?? '', offset: marked?.[1].indexOf('‸') ?? 0 };
  }
}

const plainStyles = {
  css: getCSSLanguageService(),
  scss: getSCSSLanguageService(),
  less: getLESSLanguageService(),
};
const plainHtml = getLanguageService();

/** Completions of VS Code's own service for a file. */
export function completeWithPlainService(
  language: 'css' | 'scss' | 'less' | 'html',
  text: string,
): string[] {
  const offset = text.indexOf('‸');
  const document = TextDocument.create('file:///plain', language, 0, text.replace('‸', ''));
  const position = document.positionAt(offset);
  if (language === 'html') {
    const tree = plainHtml.parseHTMLDocument(document);
    return plainHtml.doComplete(document, position, tree).items.map(({ label }) => label);
  }
  const service = plainStyles[language];
  const sheet = service.parseStylesheet(document);
  return service.doComplete(document, position, sheet).items.map(({ label }) => label);
}

/** True for a name that starts with the word before ‸. */
export function matchesWord(name: string, text: string): boolean {
  const word = /[\w$@%.:/-]*$/.exec(text.slice(0, text.indexOf('‸')))?.[0] ?? '';
  return name.startsWith(word);
}

/** Applies edits to a file. */
export function applyTextEdits(
  text: string,
  edits: readonly { from: number; to: number; insert: string }[],
): string {
  return edits.reduceRight(
    (made, { from, to, insert }) => made.slice(0, from) + insert + made.slice(to),
    text.replace('‸', ''),
  );
}
