import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
} from 'vscode-css-languageservice';
import { getLanguageService, TextDocument } from 'vscode-html-languageservice';
import { createAnswers } from '../src/markup/answers.ts';
import type { MarkupAnswers } from '../src/markup/messages.ts';
import { ProjectFiles } from '../src/markup/project-files.ts';
import { createKnown } from '../src/markup/services.ts';
import type { At } from '../src/typescript/messages.ts';

/** Files by path. ‸ in one of them is the cursor. */
export type Files = Readonly<Record<string, string>>;

/** Consecutive projects in one set of language services, as in the worker. */
export class TestMarkupProject {
  readonly handlers: MarkupAnswers;
  readonly #files = new ProjectFiles();

  constructor() {
    this.handlers = createAnswers(createKnown(this.#files));
  }

  /** Sets the project's files. Returns the position of the cursor. */
  open(files: Files): At {
    const marked = Object.entries(files).find(([, text]) => text.includes('‸'));
    const texts = new Map(
      Object.entries(files).map(([path, text]) => [path, text.replace('‸', '')]),
    );
    this.#files.change(texts, this.#files.paths());
    this.#files.change(texts, []);
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
export function applyEdits(
  text: string,
  edits: readonly { from: number; to: number; insert: string }[],
): string {
  return edits.reduceRight(
    (made, { from, to, insert }) => made.slice(0, from) + insert + made.slice(to),
    text.replace('‸', ''),
  );
}
