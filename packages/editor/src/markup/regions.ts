import { getLanguageService, TokenType, type Scanner } from 'vscode-html-languageservice';
import { blank } from './blank.ts';

export type Dialect = 'css' | 'scss' | 'less';

/** A stretch of a file that is not in the file's own language. */
export interface Region {
  readonly kind: 'style' | 'declarations' | 'script';
  readonly from: number;
  readonly to: number;
  /** What `lang` says, or a kind's default; of a style that nothing reads, undefined. */
  readonly dialect: Dialect | undefined;
}

const html = getLanguageService();

/** `<style>`, `style=""` and `<script>` of a file of markup, in order. */
export function findRegions(markup: string): Region[] {
  const regions: Region[] = [];
  const scanner = html.createScanner(markup);
  let tag = '';
  let attribute = '';
  let lang = '';
  for (let token = scanner.scan(); token !== TokenType.EOS; token = scanner.scan()) {
    if (token === TokenType.StartTag) [tag, lang] = [scanner.getTokenText().toLowerCase(), ''];
    else if (token === TokenType.AttributeName) attribute = scanner.getTokenText().toLowerCase();
    else if (token === TokenType.AttributeValue) {
      if (attribute === 'lang') lang = unquote(scanner.getTokenText());
      if (attribute === 'style') regions.push(declarations(scanner));
    } else if (token === TokenType.Styles || (token === TokenType.Script && tag === 'script')) {
      const kind = token === TokenType.Styles ? 'style' : 'script';
      const [from, to] = [scanner.getTokenOffset(), scanner.getTokenEnd()];
      regions.push({ kind, from, to, dialect: kind === 'style' ? dialectOf(lang) : undefined });
    }
  }
  return regions;
}

/** `scss` → itself; nothing reads Sass by indentation, or Stylus. */
export function dialectOf(name: string): Dialect | undefined {
  if (name === '' || name === 'css' || name === 'postcss') return 'css';
  return name === 'scss' || name === 'less' ? name : undefined;
}

/** Without the quotes around it. */
function declarations(scanner: Scanner): Region {
  const quotes = /^["']/.test(scanner.getTokenText()) ? 1 : 0;
  const from = scanner.getTokenOffset() + quotes;
  const to = Math.max(from, scanner.getTokenEnd() - quotes);
  return { kind: 'declarations', from, to, dialect: 'css' };
}

function unquote(text: string): string {
  return text.replace(/^["']|["']$/g, '');
}

/** The text with all but these regions blank, so that every offset stays what it is. */
export function keepRegions(text: string, regions: readonly Region[]): string {
  let kept = '';
  for (const { kind, from, to } of regions) {
    // What stands in an attribute is a rule for its element.
    const isBare = kind === 'declarations';
    const before = blank(text.slice(kept.length, from));
    kept += isBare ? `${before.slice(0, -2)}a{` : before;
    kept += text.slice(from, to);
    if (isBare) kept += '}';
  }
  return kept + blank(text.slice(kept.length));
}
