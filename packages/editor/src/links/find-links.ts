import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import { findLanguage, loadLanguage } from '../languages.ts';

/** An address that is written in a file: without its quotes, counted in UTF-16 units from 0. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly address: string;
  readonly kind: LinkKind;
}

/**
 * How the address is read: as an import of a script; as one of a style, with Sass's short names; as
 * an address in a page or a style; or as one in a script's markup, which the page reads.
 */
export type LinkKind = 'module' | 'style' | 'address' | 'page-address';

/** A file that takes longer to read has none. */
const patienceMs = 2_000;
const noNames = { paths: () => [], texts: () => [] };

/**
 * The addresses in a file's imports, `src`, `href`, `poster` and `url()`, in their order, also in the
 * scripts and styles within markup; none in files of a language that the editor does not know.
 */
export async function findLinks(path: string, text: string): Promise<Link[]> {
  await loadLanguage(path);
  const language = findLanguage(path, noNames);
  if (!language) return [];
  const state = EditorState.create({ doc: text, extensions: [language] });
  const links: Link[] = [];
  ensureSyntaxTree(state, text.length, patienceMs)?.iterate({
    enter: ({ node }) => void links.push(...linksAt(node, text)),
  });
  const unique = new Map(links.map((link) => [link.from, link]));
  return [...unique.values()].toSorted((a, b) => a.from - b.from);
}

function linksAt(node: SyntaxNode, text: string): Link[] {
  switch (node.name) {
    case 'String':
      return isImported(node, text) ? [linkAt(node, text, 'module')] : [];
    case 'StringLiteral':
      return isStyleImport(node, text) ? [linkAt(node, text, 'style')] : [];
    case 'CallLiteral':
      return urlsIn(text, node.from, node.to);
    case 'JSXAttributeValue':
      return isOfAddress(node, text) ? [linkAt(node, text, 'page-address')] : [];
    case 'AttributeValue':
    case 'UnquotedAttributeValue':
    case 'QuotedAttributeValue':
      if (attributeOf(node, text) === 'style') return urlsIn(text, node.from, node.to);
      return isOfAddress(node, text) ? [linkAt(node, text, 'address')] : [];
    case 'URL':
      return [linkAt(node, text, 'address')];
    default:
      return [];
  }
}

const importing = new Set([
  'ImportDeclaration',
  'ExportDeclaration',
  'DynamicImport',
  'ImportType',
]);

/** What is imported, or resolved against the script's own address. */
function isImported(node: SyntaxNode, text: string): boolean {
  const { parent } = node;
  if (!parent) return false;
  if (importing.has(parent.name)) return isFrom(node);
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

/** The last string of a statement is its module; the others name what is taken from it. */
function isFrom(node: SyntaxNode): boolean {
  return node.parent?.getChildren('String').at(-1)?.from === node.from;
}

function isStyleImport({ from, parent }: SyntaxNode, text: string): boolean {
  if (parent?.name === 'CallLiteral' || parent?.name === 'ParenthesizedContent') return false;
  return /@(?:import|use|forward)\b[^;{}()]*$/.test(text.slice(Math.max(0, from - 400), from));
}

function attributeOf(node: SyntaxNode, text: string): string | undefined {
  const { parent } = node;
  const name = parent?.getChild('AttributeName') ?? parent?.getChild('JSXIdentifier');
  return name ? text.slice(name.from, name.to).toLowerCase() : undefined;
}

function isOfAddress(node: SyntaxNode, text: string): boolean {
  const name = attributeOf(node, text);
  return name === 'src' || name === 'href' || name === 'poster';
}

/** "'a.js'" → a.js, with where that stands. */
function linkAt({ from, to }: SyntaxNode, text: string, kind: LinkKind): Link {
  const quotes = /^["'`]/.test(text.slice(from, to)) ? 1 : 0;
  const address = text.slice(from + quotes, to - quotes);
  return { from: from + quotes, to: to - quotes, address, kind };
}

/** The addresses of `url()` in a stretch of text. */
function urlsIn(text: string, from: number, to: number): Link[] {
  const found = text.slice(from, to).matchAll(/\burl\(\s*(["']?)([^"')]*?)\1\s*\)/gi);
  return [...found].map(({ 0: all, 1: quote = '', 2: address = '', index }) => {
    const start = from + index + all.indexOf(quote + address, 4) + quote.length;
    return { from: start, to: start + address.length, address, kind: 'address' as const };
  });
}
