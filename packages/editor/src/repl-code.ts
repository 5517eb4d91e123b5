/**
 * Transforms code typed at the console input for `eval`. Declared names persist and may be
 * redeclared, `await` is allowed outside of functions, and braces that could be an object literal
 * are one.
 *
 *     const a = 1            → var a = 1
 *     { a: 1 }               → ({ a: 1 })
 *     let b = await f(); b   → var b; (async () => { void (b = await f()); return (b) })()
 */
import { javascriptLanguage } from '@codemirror/lang-javascript';

type Tree = ReturnType<typeof javascriptLanguage.parser.parse>;
type SyntaxNode = Tree['topNode'];

/** Code for the page's `eval`, compiled from console input. */
export interface ReplCode {
  /** The code as typed. */
  readonly shown: string;
  /** Code for the page's global `eval`. */
  readonly code: string;
  /** True if `code` evaluates to a promise of the result. */
  readonly awaits: boolean;
}

/**
 * Compiles console input. Code with a syntax error stays as it is, so that the page reports the
 * error.
 */
export function toReplCode(shown: string): ReplCode {
  const text = isObjectLiteral(shown) ? `(${shown})` : shown;
  const tree = javascriptLanguage.parser.parse(text);
  const statements = childrenOf(tree.topNode);
  const awaits = hasOuterAwait(tree);
  const code = awaits ? wrapAsync(text, statements) : hoistNames(text, statements);
  return { shown, code, awaits };
}

function isObjectLiteral(text: string): boolean {
  if (!/^\s*\{[^]*\}\s*$/.test(text)) return false;
  let isWhole = true;
  const tree = javascriptLanguage.parser.parse(`(${text})`);
  tree.iterate({ enter: ({ type }) => void (isWhole &&= !type.isError) });
  return isWhole && tree.topNode.firstChild?.nextSibling === null;
}

const functionNodes =
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunction|MethodDeclaration|ClassBody)$/;

function hasOuterAwait(tree: Tree): boolean {
  let found = false;
  tree.iterate({
    enter({ name }) {
      if (name === 'await') found = true;
      // An `await` inside of a function belongs to that function.
      return !functionNodes.test(name);
    },
  });
  return found;
}

/** `let`, `const` and `class` of an eval are dropped when it ends; `var` is not. */
function hoistNames(text: string, statements: readonly SyntaxNode[]): string {
  return replaceEach(text, statements, (node) => {
    const source = text.slice(node.from, node.to);
    if (node.name === 'VariableDeclaration') return source.replace(/^(?:let|const)\b/, 'var');
    return node.name === 'ClassDeclaration' ? `var ${nameOf(node, text)} = ${source};` : source;
  });
}

function wrapAsync(text: string, statements: readonly SyntaxNode[]): string {
  const names = statements.flatMap((node) => declaredNames(node, text));
  const last = statements.findLast(({ name }) => !name.endsWith('Comment'));
  const body = replaceEach(text, statements, (node) => {
    const source = text.slice(node.from, node.to);
    const plain = source.replace(/;\s*$/, '');
    switch (node.name) {
      case 'VariableDeclaration':
        return `void (${plain.replace(/^(?:let|const|var)\b/, '')}\n);`;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        return `${nameOf(node, text)} = ${source};`;
      case 'ExpressionStatement':
        return node.from === last?.from ? `return (${plain}\n);` : source;
      default:
        return source;
    }
  });
  const hoisted = names.length > 0 ? `var ${[...new Set(names)].join(', ')};\n` : '';
  return `${hoisted}(async () => {${body}\n})()`;
}

function replaceEach(
  text: string,
  nodes: readonly SyntaxNode[],
  replace: (node: SyntaxNode) => string,
): string {
  let replaced = '';
  let at = 0;
  for (const node of nodes) {
    replaced += text.slice(at, node.from) + replace(node);
    at = node.to;
  }
  return replaced + text.slice(at);
}

function declaredNames(node: SyntaxNode, text: string): string[] {
  if (node.name === 'FunctionDeclaration' || node.name === 'ClassDeclaration')
    return [nameOf(node, text)];
  if (node.name !== 'VariableDeclaration') return [];
  return childrenOf(node)
    .filter(({ name }) => name === 'VariableDefinition' || name.endsWith('Pattern'))
    .flatMap((target) => definitionsIn(target, text));
}

function definitionsIn(target: SyntaxNode, text: string): string[] {
  const names: string[] = [];
  target.cursor().iterate(({ name, from, to }) => {
    if (name === 'VariableDefinition') names.push(text.slice(from, to));
  });
  return names;
}

function nameOf(declaration: SyntaxNode, text: string): string {
  const name = declaration.getChild('VariableDefinition');
  return name ? text.slice(name.from, name.to) : '';
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
