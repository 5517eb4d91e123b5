import { extension } from '@vitrine/project';
import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
  type LanguageService,
  type Stylesheet,
} from 'vscode-css-languageservice';
import { getLanguageService, TextDocument, type HTMLDocument } from 'vscode-html-languageservice';
import { blank, maskComponent } from './blank.ts';
import {
  findNamesInMarkup,
  findNamesInScript,
  findNamesInStyles,
  type Name,
} from './names-in-text.ts';
import { dialectOf, findRegions, keepRegions, type Dialect, type Region } from './regions.ts';

/** A stylesheet, or the styles of a markup file in one dialect. Offsets are those of the file. */
export interface Style {
  readonly dialect: Dialect;
  readonly document: TextDocument;
  readonly sheet: Stylesheet;
}

export interface Markup {
  readonly document: TextDocument;
  readonly tree: HTMLDocument;
}

const parsers: Readonly<Record<Dialect, LanguageService>> = {
  css: getCSSLanguageService(),
  scss: getSCSSLanguageService(),
  less: getLESSLanguageService(),
};
const html = getLanguageService();

const scriptExtension = /^(?:[cm]?[jt]s|[jt]sx)$/;
/** Longest text searched for names, in UTF-16 units. Longer ones are minified or data. */
const maxTextLength = 500_000;

/** One version of a file, parsed lazily. Each change creates a new one. */
export class ReadFile {
  readonly path: string;
  readonly text: string;
  readonly kind: 'html' | 'vue' | 'svelte' | 'style' | 'script' | 'other';
  readonly #styles = new Map<Dialect, Style>();
  #regions: readonly Region[] | undefined;
  #markup: Markup | undefined;
  #names: readonly Name[] | undefined;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.kind = getKind(path);
  }

  get uri(): string {
    return `file:///${this.path}`;
  }

  /** True for HTML and for components. */
  get isMarkup(): boolean {
    return this.kind === 'html' || this.kind === 'vue' || this.kind === 'svelte';
  }

  /** Parts of a markup file in other languages. */
  get regions(): readonly Region[] {
    return (this.#regions ??= this.isMarkup ? findRegions(this.#masked()) : []);
  }

  regionAt(offset: number): Region | undefined {
    return this.regions.find(({ from, to }) => from <= offset && offset <= to);
  }

  /** The file parsed as HTML. Scripts and styles in it are not parsed. */
  get markup(): Markup {
    if (this.#markup) return this.#markup;
    const document = TextDocument.create(this.uri, 'html', 0, this.#masked());
    return (this.#markup = { document, tree: html.parseHTMLDocument(document) });
  }

  /** The styles at an offset. Undefined if there are none. */
  styleAt(offset: number): Style | undefined {
    const dialect =
      this.kind === 'style' ? dialectOf(extension(this.path)) : this.regionAt(offset)?.dialect;
    return dialect && this.#parseStyle(dialect);
  }

  /** All styles of the file, one entry per dialect. */
  get styles(): Style[] {
    if (this.kind === 'style') return [this.styleAt(0)].filter((style) => style !== undefined);
    const dialects = new Set(this.regions.flatMap(({ dialect }) => dialect ?? []));
    return [...dialects].map((dialect) => this.#parseStyle(dialect));
  }

  /** Classes, ids and custom properties in the file. */
  get names(): readonly Name[] {
    return (this.#names ??= this.text.length > maxTextLength ? [] : this.#findNames());
  }

  #parseStyle(dialect: Dialect): Style {
    const cached = this.#styles.get(dialect);
    if (cached) return cached;
    const ownRegions = this.regions.filter((region) => region.dialect === dialect);
    const text = this.kind === 'style' ? this.text : keepRegions(this.text, ownRegions);
    const document = TextDocument.create(this.uri, dialect, 0, text);
    const style = { dialect, document, sheet: parsers[dialect].parseStylesheet(document) };
    this.#styles.set(dialect, style);
    return style;
  }

  #findNames(): Name[] {
    if (this.kind === 'style') return findNamesInStyles(this.text);
    if (this.kind === 'script')
      return [...findNamesInMarkup(this.text), ...findNamesInScript(this.text)];
    if (!this.isMarkup) return [];
    const markupOnly = this.regions
      .filter(({ kind }) => kind !== 'declarations')
      .toReversed()
      .reduce(
        (text, { from, to }) => text.slice(0, from) + blank(text.slice(from, to)) + text.slice(to),
        this.text,
      );
    return [
      ...findNamesInMarkup(markupOnly),
      ...this.regions.flatMap(({ kind, from, to }) => {
        const text = this.text.slice(from, to);
        const found = kind === 'script' ? findNamesInScript(text) : findNamesInStyles(text);
        return found.map((name) => ({ ...name, from: name.from + from, to: name.to + from }));
      }),
    ];
  }

  #masked(): string {
    return this.kind === 'html' ? this.text : maskComponent(this.text, this.kind === 'vue');
  }
}

function getKind(path: string): ReadFile['kind'] {
  const fileExtension = extension(path);
  if (fileExtension === 'html' || fileExtension === 'htm') return 'html';
  if (fileExtension === 'vue' || fileExtension === 'svelte') return fileExtension;
  if (fileExtension === 'css' || fileExtension === 'scss' || fileExtension === 'less')
    return 'style';
  return scriptExtension.test(fileExtension) ? 'script' : 'other';
}
