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

/** Styles as a language service reads them; offsets are those of the file. */
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

const scripts = /^(?:[cm]?[jt]s|[jt]sx)$/;
/** Longer texts are minified or data. */
const longestText = 500_000;

/** A file in one version, read as far as it was asked about. A new text is a new one of these. */
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
    this.kind = kindOf(path);
  }

  get uri(): string {
    return `file:///${this.path}`;
  }

  /** True for what tags are written in. */
  get isMarkup(): boolean {
    return this.kind === 'html' || this.kind === 'vue' || this.kind === 'svelte';
  }

  /** What in the markup is in another language. */
  get regions(): readonly Region[] {
    return (this.#regions ??= this.isMarkup ? findRegions(this.#masked()) : []);
  }

  regionAt(offset: number): Region | undefined {
    return this.regions.find(({ from, to }) => from <= offset && offset <= to);
  }

  /** The file as markup, with scripts and styles in it, which it does not look into. */
  get markup(): Markup {
    if (this.#markup) return this.#markup;
    const document = TextDocument.create(this.uri, 'html', 0, this.#masked());
    return (this.#markup = { document, tree: html.parseHTMLDocument(document) });
  }

  /** The styles that an offset is in; undefined where it is in none. */
  styleAt(offset: number): Style | undefined {
    const dialect =
      this.kind === 'style' ? dialectOf(extension(this.path)) : this.regionAt(offset)?.dialect;
    return dialect && this.#readStyle(dialect);
  }

  /** All styles of the file, by dialect. */
  get styles(): Style[] {
    if (this.kind === 'style') return [this.styleAt(0)].filter((style) => style !== undefined);
    const dialects = new Set(this.regions.flatMap(({ dialect }) => dialect ?? []));
    return [...dialects].map((dialect) => this.#readStyle(dialect));
  }

  /** Classes, ids and custom properties that the file speaks of. */
  get names(): readonly Name[] {
    return (this.#names ??= this.text.length > longestText ? [] : this.#findNames());
  }

  #readStyle(dialect: Dialect): Style {
    const known = this.#styles.get(dialect);
    if (known) return known;
    const own = this.regions.filter((region) => region.dialect === dialect);
    const text = this.kind === 'style' ? this.text : keepRegions(this.text, own);
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
    const outside = this.regions
      .filter(({ kind }) => kind !== 'declarations')
      .toReversed()
      .reduce(
        (text, { from, to }) => text.slice(0, from) + blank(text.slice(from, to)) + text.slice(to),
        this.text,
      );
    return [
      ...findNamesInMarkup(outside),
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

function kindOf(path: string): ReadFile['kind'] {
  const ending = extension(path);
  if (ending === 'html' || ending === 'htm') return 'html';
  if (ending === 'vue' || ending === 'svelte') return ending;
  if (ending === 'css' || ending === 'scss' || ending === 'less') return 'style';
  return scripts.test(ending) ? 'script' : 'other';
}
