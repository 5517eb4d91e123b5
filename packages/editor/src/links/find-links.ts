import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import { findLanguage, loadLanguage } from '../languages.ts';

/** A path or URL in a file, without quotes. Offsets in UTF-16 units from 0. */
interface DocumentLink {
  readonly from: number;
  readonly to: number;
  readonly address: string;
  readonly kind: DocumentLinkKind;
}

/**
 * How the path is resolved: as an import of a script; as an import of a stylesheet, with Sass's
 * short names; as a URL in a page or stylesheet; or as a URL in JSX, relative to the page.
 */
type DocumentLinkKind = 'module' | 'style' | 'address' | 'page-address';

/** A file that takes longer to parse has no links. */
const parseTimeoutMs = 2_000;
const emptyProject = { texts: () => [] };

/**
 * Finds the paths in a file's imports, `src`, `srcset`, `href`, `poster` and `url()`, in order, including
 * those in scripts and styles inside of markup. None for a file without a language.
 */
export async function findDocumentLinks(path: string, text: string): Promise<DocumentLink[]> {
  await loadLanguage(path);
  const language = findLanguage(path, emptyProject);
  if (!language) return [];
  const state = EditorState.create({ doc: text, extensions: [language] });
  const links: DocumentLink[] = [];
  ensureSyntaxTree(state, text.length, parseTimeoutMs)?.iterate({
    enter: ({ node }) => void links.push(...findLinksAt(node, text)),
  });
  const unique = new Map(links.map((link) => [link.from, link]));
  return [...unique.values()].toSorted((a, b) => a.from - b.from);
}

function findLinksAt(node: SyntaxNode, text: string): DocumentLink[] {
  switch (node.name) {
    case 'String':
      return isImported(node, text) ? [toLink(node, text, 'module')] : [];
    case 'StringLiteral':
      return isStyleImport(node, text) ? [toLink(node, text, 'style')] : [];
    case 'CallLiteral':
      return findUrls(text, node.from, node.to);
    case 'JSXAttributeValue':
      if (isSourceSet(node, text)) return findCandidates(node, text, 'page-address');
      return isUrlAttribute(node, text) ? [toLink(node, text, 'page-address')] : [];
    case 'AttributeValue':
    case 'UnquotedAttributeValue':
    case 'QuotedAttributeValue':
      if (findAttributeName(node, text) === 'style') return findUrls(text, node.from, node.to);
      if (isSourceSet(node, text)) return findCandidates(node, text, 'address');
      return isUrlAttribute(node, text) ? [toLink(node, text, 'address')] : [];
    case 'URL':
      return [toLink(node, text, 'address')];
    default:
      return [];
  }
}

const importNodes = new Set([
  'ImportDeclaration',
  'ExportDeclaration',
  'DynamicImport',
  'ImportType',
]);

/** True for an imported path, or one resolved against `import.meta.url`. */
function isImported(node: SyntaxNode, text: string): boolean {
  const { parent } = node;
  if (!parent) return false;
  if (importNodes.has(parent.name)) return isModuleSpecifier(node);
  const call = parent.parent;
  if (parent.name !== 'ArgList' || !call) return false;
  const isFirst = parent.getChildren('String')[0]?.from === node.from;
  const callee = text.slice(call.from, parent.from);
  if (call.name === 'DynamicImport') return isFirst;
  if (call.name === 'NewExpression')
    return (
      isFirst &&
      /\bURL\s*$/.test(callee) &&
      text.slice(node.to, parent.to).includes('import.meta.url')
    );
  return isFirst && /^(?:require|(?:vi|jest)\.(?:mock|unmock|importActual))$/.test(callee);
}

/** The last string of an import statement is its module; others are names. */
function isModuleSpecifier(node: SyntaxNode): boolean {
  return node.parent?.getChildren('String').at(-1)?.from === node.from;
}

function isStyleImport({ from, parent }: SyntaxNode, text: string): boolean {
  if (parent?.name === 'CallLiteral' || parent?.name === 'ParenthesizedContent') return false;
  return /@(?:import|use|forward)\b[^;{}()]*$/.test(text.slice(Math.max(0, from - 400), from));
}

function findAttributeName(node: SyntaxNode, text: string): string | undefined {
  const { parent } = node;
  const name = parent?.getChild('AttributeName') ?? parent?.getChild('JSXIdentifier');
  return name ? text.slice(name.from, name.to).toLowerCase() : undefined;
}

function isUrlAttribute(node: SyntaxNode, text: string): boolean {
  const name = findAttributeName(node, text);
  return name === 'src' || name === 'href' || name === 'poster';
}

function isSourceSet(node: SyntaxNode, text: string): boolean {
  return /^(?:image)?srcset$/.test(findAttributeName(node, text) ?? '');
}

/** Finds the URLs of image candidates: "a.png, b.png 2x" → a.png, b.png. */
function findCandidates(
  { from, to }: SyntaxNode,
  text: string,
  kind: DocumentLinkKind,
): DocumentLink[] {
  const found = text.slice(from, to).matchAll(/(?<=^["']?|,)(\s*)([^\s,"'{}]+)/g);
  return [...found].map(({ 1: space = '', 2: address = '', index }) => {
    const start = from + index + space.length;
    return { from: start, to: start + address.length, address, kind };
  });
}

/** A link for a node, without its quotes: "'a.js'" → a.js. */
function toLink({ from, to }: SyntaxNode, text: string, kind: DocumentLinkKind): DocumentLink {
  const quotes = /^["'`]/.test(text.slice(from, to)) ? 1 : 0;
  const address = text.slice(from + quotes, to - quotes);
  return { from: from + quotes, to: to - quotes, address, kind };
}

/** Finds the `url()` values in a range of text. */
function findUrls(text: string, from: number, to: number): DocumentLink[] {
  const found = text.slice(from, to).matchAll(/\burl\(\s*(["']?)([^"')]*?)\1\s*\)/gi);
  return [...found].map(({ 0: match, 1: quote = '', 2: address = '', index }) => {
    const start = from + index + match.indexOf(quote + address, 4) + quote.length;
    return { from: start, to: start + address.length, address, kind: 'address' as const };
  });
}
