import { getLanguageService, TokenType, type Scanner } from 'vscode-html-languageservice';
import { blankText } from './blank-text.ts';

export type StyleDialect = 'css' | 'scss' | 'less';

/** A range of a markup file in another language. */
export interface EmbeddedRegion {
  readonly kind: 'style' | 'declarations' | 'script';
  readonly from: number;
  readonly to: number;
  /** The dialect of styles, from `lang`. Undefined for scripts and unsupported dialects. */
  readonly dialect: StyleDialect | undefined;
}

const html = getLanguageService();

/** Finds `<style>`, `style=""` and `<script>` in markup, in order. */
export function findEmbeddedRegions(markup: string): EmbeddedRegion[] {
  const regions: EmbeddedRegion[] = [];
  const scanner = html.createScanner(markup);
  let tag = '';
  let attribute = '';
  let langAttribute = '';
  for (let token = scanner.scan(); token !== TokenType.EOS; token = scanner.scan()) {
    if (token === TokenType.StartTag)
      [tag, langAttribute] = [scanner.getTokenText().toLowerCase(), ''];
    else if (token === TokenType.AttributeName) attribute = scanner.getTokenText().toLowerCase();
    else if (token === TokenType.AttributeValue) {
      if (attribute === 'lang') langAttribute = unquote(scanner.getTokenText());
      if (attribute === 'style') regions.push(createAttributeRegion(scanner));
    } else if (token === TokenType.Styles || (token === TokenType.Script && tag === 'script')) {
      const kind = token === TokenType.Styles ? 'style' : 'script';
      const [from, to] = [scanner.getTokenOffset(), scanner.getTokenEnd()];
      regions.push({
        kind,
        from,
        to,
        dialect: kind === 'style' ? findDialect(langAttribute) : undefined,
      });
    }
  }
  return regions;
}

/**
 * The supported dialect for a `lang` or file extension. Undefined for others, such as indented Sass
 * and Stylus.
 */
export function findDialect(name: string): StyleDialect | undefined {
  if (['', 'css', 'pcss', 'postcss'].includes(name)) return 'css';
  return name === 'scss' || name === 'less' ? name : undefined;
}

/** The region of a `style` attribute's value, without its quotes. */
function createAttributeRegion(scanner: Scanner): EmbeddedRegion {
  const quotes = /^["']/.test(scanner.getTokenText()) ? 1 : 0;
  const from = scanner.getTokenOffset() + quotes;
  const to = Math.max(from, scanner.getTokenEnd() - quotes);
  return { kind: 'declarations', from, to, dialect: 'css' };
}

function unquote(text: string): string {
  return text.replace(/^["']|["']$/g, '');
}

/** The text with everything but these regions blank, so that offsets stay the same. */
export function extractRegions(text: string, regions: readonly EmbeddedRegion[]): string {
  let extracted = '';
  for (const { kind, from, to } of regions) {
    // Declarations in an attribute are wrapped in a rule.
    const isAttribute = kind === 'declarations';
    const before = blankText(text.slice(extracted.length, from));
    extracted += isAttribute ? `${before.slice(0, -2)}a{` : before;
    extracted += text.slice(from, to);
    if (isAttribute) extracted += '}';
  }
  return extracted + blankText(text.slice(extracted.length));
}
