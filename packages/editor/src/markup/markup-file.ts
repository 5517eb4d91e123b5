import { getExtension } from '@vitrine/project';
import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
  type LanguageService,
  type Stylesheet,
} from 'vscode-css-languageservice';
import { getLanguageService, TextDocument, type HTMLDocument } from 'vscode-html-languageservice';
import { blankText, maskExpressions } from './blank-text.ts';
import {
  findMarkupNames,
  findScriptNames,
  findStyleNames,
  type SharedName,
} from './shared-names.ts';
import {
  findDialect,
  findEmbeddedRegions,
  extractRegions,
  type StyleDialect,
  type EmbeddedRegion,
} from './regions.ts';

/** A stylesheet, or the styles of a markup file in one dialect. Offsets are those of the file. */
export interface ParsedStyle {
  readonly dialect: StyleDialect;
  readonly document: TextDocument;
  readonly sheet: Stylesheet;
}

interface ParsedMarkup {
  readonly document: TextDocument;
  readonly tree: HTMLDocument;
}

const parsers: Readonly<Record<StyleDialect, LanguageService>> = {
  css: getCSSLanguageService(),
  scss: getSCSSLanguageService(),
  less: getLESSLanguageService(),
};
const html = getLanguageService();

const scriptExtension = /^(?:[cm]?[jt]s|[jt]sx)$/;
/** Longest text searched for names, in UTF-16 units. Longer ones are minified or data. */
const maxTextLength = 500_000;

/** One version of a file, parsed lazily. Each change creates a new one. */
export class MarkupFile {
  readonly path: string;
  readonly text: string;
  readonly kind: 'html' | 'vue' | 'svelte' | 'style' | 'script' | 'other';
  readonly #styles = new Map<StyleDialect, ParsedStyle>();
  #regions: readonly EmbeddedRegion[] | undefined;
  #markup: ParsedMarkup | undefined;
  #names: readonly SharedName[] | undefined;

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
  get regions(): readonly EmbeddedRegion[] {
    return (this.#regions ??= this.isMarkup ? findEmbeddedRegions(this.#masked()) : []);
  }

  findRegionAt(offset: number): EmbeddedRegion | undefined {
    return this.regions.find(({ from, to }) => from <= offset && offset <= to);
  }

  /** The file parsed as HTML. Scripts and styles in it are not parsed. */
  get markup(): ParsedMarkup {
    if (this.#markup) return this.#markup;
    const document = TextDocument.create(this.uri, 'html', 0, this.#masked());
    return (this.#markup = { document, tree: html.parseHTMLDocument(document) });
  }

  /** The styles at an offset. Undefined if there are none. */
  findStyleAt(offset: number): ParsedStyle | undefined {
    const dialect =
      this.kind === 'style'
        ? findDialect(getExtension(this.path))
        : this.findRegionAt(offset)?.dialect;
    return dialect && this.#parseStyle(dialect);
  }

  /** All styles of the file, one entry per dialect. */
  get styles(): ParsedStyle[] {
    if (this.kind === 'style') return [this.findStyleAt(0)].filter((style) => style !== undefined);
    const dialects = new Set(this.regions.flatMap(({ dialect }) => dialect ?? []));
    return [...dialects].map((dialect) => this.#parseStyle(dialect));
  }

  /** Classes, ids and custom properties in the file. */
  get names(): readonly SharedName[] {
    return (this.#names ??= this.text.length > maxTextLength ? [] : this.#findNames());
  }

  #parseStyle(dialect: StyleDialect): ParsedStyle {
    const cached = this.#styles.get(dialect);
    if (cached) return cached;
    const ownRegions = this.regions.filter((region) => region.dialect === dialect);
    const text = this.kind === 'style' ? this.text : extractRegions(this.text, ownRegions);
    const document = TextDocument.create(this.uri, dialect, 0, text);
    const style = { dialect, document, sheet: parsers[dialect].parseStylesheet(document) };
    this.#styles.set(dialect, style);
    return style;
  }

  #findNames(): SharedName[] {
    if (this.kind === 'style') return findStyleNames(this.text);
    if (this.kind === 'script')
      return [...findMarkupNames(this.text), ...findScriptNames(this.text)];
    if (!this.isMarkup) return [];
    const markupOnly = this.regions
      .filter(({ kind }) => kind !== 'declarations')
      .toReversed()
      .reduce(
        (text, { from, to }) =>
          text.slice(0, from) + blankText(text.slice(from, to)) + text.slice(to),
        this.text,
      );
    return [
      ...findMarkupNames(markupOnly),
      ...this.regions.flatMap(({ kind, from, to }) => {
        const text = this.text.slice(from, to);
        const found = kind === 'script' ? findScriptNames(text) : findStyleNames(text);
        return found.map((name) => ({ ...name, from: name.from + from, to: name.to + from }));
      }),
    ];
  }

  #masked(): string {
    return this.kind === 'html' ? this.text : maskExpressions(this.text, this.kind === 'vue');
  }
}

function getKind(path: string): MarkupFile['kind'] {
  const fileExtension = getExtension(path);
  if (fileExtension === 'html' || fileExtension === 'htm') return 'html';
  if (fileExtension === 'vue' || fileExtension === 'svelte') return fileExtension;
  if (fileExtension !== '' && findDialect(fileExtension) !== undefined) return 'style';
  return scriptExtension.test(fileExtension) ? 'script' : 'other';
}
