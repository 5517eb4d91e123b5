/**
 * TypeScript for ESLint: acorn with the grammar of types that Svelte’s compiler reads, at a small part
 * of what TypeScript’s own parser weighs. Rules see the types; scopes are those of values alone, since
 * the language service says what is wrong with names.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, type Node, type Token } from 'acorn';
import { analyze } from 'eslint-scope';
import { KEYS } from 'eslint-visitor-keys';
import type { Linter } from 'eslint/universal';

/** A token or a comment, as ESLint has them. */
interface Piece extends Pick<Node, 'type' | 'start' | 'end' | 'range' | 'loc'> {
  readonly value: unknown;
}

type Keys = Readonly<Record<string, readonly string[]>>;

/** What is left of these once types are gone. */
const valueKeys: Keys = {
  ...KEYS,
  TSAsExpression: ['expression'],
  TSExportAssignment: ['expression'],
  TSInstantiationExpression: ['expression'],
  TSNonNullExpression: ['expression'],
  TSParameterProperty: ['parameter'],
  TSSatisfiesExpression: ['expression'],
  TSTypeAssertion: ['expression'],
};

export const typescript = createParser(Parser.extend(tsPlugin()), 'typescript');
export const typescriptWithJsx = createParser(
  Parser.extend(tsPlugin({ jsx: true })),
  'typescript-jsx',
);

function createParser(grammar: typeof Parser, name: string): Linter.Parser {
  return { meta: { name }, parseForESLint: (text) => parse(grammar, text) };
}

/** Throws a `SyntaxError` for what is not TypeScript. */
function parse(grammar: typeof Parser, text: string) {
  const tokens: Piece[] = [];
  const comments: Piece[] = [];
  const ast = grammar.parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    ranges: true,
    onToken: (token) => keep(tokens, readToken(token, text)),
    onComment: (isBlock, value, start, end, from, to) => {
      const type = isBlock ? 'Block' : 'Line';
      const loc = from && to && { start: from, end: to };
      keep(comments, { type, value, start, end, range: [start, end], loc });
    },
  });
  const ofFile = { tokens: tokens.filter(({ type }) => type !== 'eof'), comments };
  return {
    ast: Object.assign(ast, ofFile, { range: [0, text.length] }),
    visitorKeys: listKeys(ast),
    scopeManager: analyze(ast as Parameters<typeof analyze>[0], {
      ecmaVersion: 2026,
      sourceType: 'module',
      childVisitorKeys: valueKeys,
      fallback: () => [],
      jsx: true,
    }),
  };
}

/** Where the grammar has tried one reading and begins anew with another, pieces come again. */
function keep(pieces: Piece[], piece: Piece): void {
  while ((pieces.at(-1)?.start ?? -1) >= piece.start) pieces.pop();
  pieces.push(piece);
}

const types: Readonly<Record<string, string>> = {
  eof: 'eof',
  jsxName: 'JSXIdentifier',
  jsxText: 'JSXText',
  name: 'Identifier',
  num: 'Numeric',
  privateId: 'PrivateIdentifier',
  regexp: 'RegularExpression',
  string: 'String',
  template: 'Template',
};

function readToken({ type, start, end, loc }: Token, text: string): Piece {
  const { label, keyword } = type;
  return {
    type: types[label] ?? (keyword ? 'Keyword' : 'Punctuator'),
    // `#a` is the private name `a`.
    value: text.slice(label === 'privateId' ? start + 1 : start, end),
    start,
    end,
    range: [start, end],
    loc,
  };
}

/** Which of the properties of each type of node hold others: those that every tree has, and those of types. */
function listKeys(ast: Node): Record<string, string[]> {
  const keys = new Map<string, Set<string>>();
  const visit = (node: Node) => {
    const own = keys.get(node.type) ?? new Set(KEYS[node.type]);
    keys.set(node.type, own);
    for (const [name, value] of Object.entries(node)) {
      const children = (Array.isArray(value) ? value : [value]).filter(isNode);
      if (children.length > 0) own.add(name);
      children.forEach(visit);
    }
  };
  visit(ast);
  return Object.fromEntries(Array.from(keys, ([type, own]) => [type, [...own]]));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
