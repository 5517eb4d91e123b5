/**
 * A TypeScript parser for ESLint: acorn with the TypeScript plugin that Svelte's compiler uses, at
 * a fraction of the size of TypeScript's own. Rules see the type nodes; scopes contain only values,
 * since the language service reports errors in names.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, type Node, type Token } from 'acorn';
import { analyze } from 'eslint-scope';
import { KEYS } from 'eslint-visitor-keys';
import type { Linter } from 'eslint/universal';

/** A token or comment in ESLint's format. */
interface TokenOrComment extends Pick<Node, 'type' | 'start' | 'end' | 'range' | 'loc'> {
  readonly value: unknown;
}

type VisitorKeys = Readonly<Record<string, readonly string[]>>;

/** Child properties to visit in TypeScript nodes once types are ignored. */
const valueKeys: VisitorKeys = {
  ...KEYS,
  TSAsExpression: ['expression'],
  TSExportAssignment: ['expression'],
  TSInstantiationExpression: ['expression'],
  TSNonNullExpression: ['expression'],
  TSParameterProperty: ['parameter'],
  TSSatisfiesExpression: ['expression'],
  TSTypeAssertion: ['expression'],
};

/** Parser for TypeScript without JSX. */
export const typescriptEslintParser = createParser(Parser.extend(tsPlugin()), 'typescript');
/** Parser for TypeScript with JSX. */
export const tsxEslintParser = createParser(
  Parser.extend(tsPlugin({ jsx: true })),
  'typescript-jsx',
);

function createParser(grammar: typeof Parser, name: string): Linter.Parser {
  return { meta: { name }, parseForESLint: (text) => parse(grammar, text) };
}

/** Throws a `SyntaxError` for invalid TypeScript. */
function parse(grammar: typeof Parser, text: string) {
  const tokens: TokenOrComment[] = [];
  const comments: TokenOrComment[] = [];
  const ast = grammar.parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    ranges: true,
    onToken: (token) => addToken(tokens, toEslintToken(token, text)),
    onComment: (isBlock, value, start, end, from, to) => {
      const type = isBlock ? 'Block' : 'Line';
      const range: [number, number] = [start, end];
      const loc = from && to && { loc: { start: from, end: to } };
      addToken(comments, { type, value, start, end, range, ...loc });
    },
  });
  const sourceParts = { tokens: tokens.filter(({ type }) => type !== 'eof'), comments };
  return {
    ast: Object.assign(ast, sourceParts, { range: [0, text.length] }),
    visitorKeys: collectVisitorKeys(ast),
    scopeManager: analyze(ast as Parameters<typeof analyze>[0], {
      ecmaVersion: 2026,
      sourceType: 'module',
      childVisitorKeys: valueKeys,
      fallback: () => [],
      jsx: true,
    }),
  };
}

/**
 * Adds a token or comment. When the parser backtracks it reports them again, so later ones are
 * dropped first.
 */
function addToken(tokens: TokenOrComment[], token: TokenOrComment): void {
  while ((tokens.at(-1)?.start ?? -1) >= token.start) tokens.pop();
  tokens.push(token);
}

const tokenTypes: Readonly<Record<string, string>> = {
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

function toEslintToken({ type, start, end, loc }: Token, text: string): TokenOrComment {
  const { label, keyword } = type;
  return {
    type: tokenTypes[label] ?? (keyword ? 'Keyword' : 'Punctuator'),
    // The value of `#a` is the private name `a`.
    value: text.slice(label === 'privateId' ? start + 1 : start, end),
    start,
    end,
    range: [start, end],
    ...(loc && { loc }),
  };
}

/**
 * The child properties of each node type, for ESLint's traversal: those of ESTree, and those found
 * in TypeScript nodes.
 */
function collectVisitorKeys(ast: Node): Record<string, string[]> {
  const keys = new Map<string, Set<string>>();
  const visit = (node: Node) => {
    const childKeys = keys.get(node.type) ?? new Set(KEYS[node.type]);
    keys.set(node.type, childKeys);
    for (const [name, value] of Object.entries(node)) {
      const children = (Array.isArray(value) ? value : [value]).filter(isNode);
      if (children.length > 0) childKeys.add(name);
      children.forEach(visit);
    }
  };
  visit(ast);
  return Object.fromEntries(Array.from(keys, ([type, childKeys]) => [type, [...childKeys]]));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
