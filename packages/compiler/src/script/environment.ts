/** The values of `import.meta.env` and `process.env` in scripts and pages of a project. */
import type { AnyNode } from 'acorn';
import type { Environment } from '../env-files.ts';
import { lexModule, type Edit } from '../rewrite-module.ts';
import { parseScript } from './parse-script.ts';
import { getChildNodes, getVariableNames } from './syntax-tree.ts';

/** Whether a text may use values of the environment. Fast; true if unsure. */
export function usesEnvironment(text: string): boolean {
  return (text.includes('meta') && /\benv\b/.test(text)) || text.includes('process.env');
}

/**
 * Creates edits for the values that a module uses. `import.meta.env` is set on its first line:
 * "import.meta.env = {…}; "; `process.env.NODE_ENV` becomes a literal, as in bundlers. Throws if the
 * lexer can't read the module (`isLexerError`).
 */
export function findEnvironmentEdits(code: string, env: Environment): Edit[] {
  const edits: Edit[] = [];
  const usesMeta = code.includes('meta') && /\benv\b/.test(code);
  if (usesMeta && lexModule(code)[0].some(({ type }) => type === 'import-meta')) {
    const at = findPreludeStart(code);
    edits.push({ start: at, end: at, text: `import.meta.env = ${JSON.stringify(env)}; ` });
  }
  return code.includes('process.env') ? [...edits, ...findProcessEdits(code, env)] : edits;
}

/** Index of the first character after `#!…`. */
export function findPreludeStart(code: string): number {
  return code.startsWith('#!') ? code.indexOf('\n') + 1 : 0;
}

/** Replaces `process.env` and known members of it, unless the module has its own `process`. */
function findProcessEdits(code: string, env: Environment): Edit[] {
  const values = listProcessValues(env);
  const edits: Edit[] = [];
  let isDeclared = false;
  const visit = (node: AnyNode) => {
    isDeclared ||= findDeclared(node).includes('process');
    if (node.type === 'MemberExpression' && isProcessEnv(node.object)) {
      const name = findMemberName(node);
      const value = name === undefined ? undefined : values.get(name);
      const isKnown = name !== undefined && (value !== undefined || isToolName(name));
      if (!isKnown) return;
      edits.push({ start: node.start, end: node.end, text: JSON.stringify(value) ?? 'undefined' });
    } else if (isProcessEnv(node)) {
      const text = `(${JSON.stringify(Object.fromEntries(values))})`;
      edits.push({ start: node.start, end: node.end, text });
    } else getChildNodes(node).forEach(visit);
  };
  visit(parseScript(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }));
  return isDeclared ? [] : edits;
}

/** Names that a node declares itself. */
function findDeclared(node: AnyNode): string[] {
  switch (node.type) {
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return [node.local.name];
    case 'VariableDeclarator':
      return getVariableNames(node.id);
    case 'FunctionDeclaration':
      return node.params.flatMap(getVariableNames);
    default:
      return [];
  }
}

function isProcessEnv(node: AnyNode): boolean {
  return (
    node.type === 'MemberExpression' &&
    findMemberName(node) === 'env' &&
    node.object.type === 'Identifier' &&
    node.object.name === 'process'
  );
}

function findMemberName(node: AnyNode & { type: 'MemberExpression' }): string | undefined {
  const { property, computed } = node;
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' ? String(property.value) : undefined;
}

/** Whether create-react-app or Vue CLI defines a variable of this name if a `.env` file has it. */
function isToolName(name: string): boolean {
  return /^(?:REACT|VUE)_APP_/.test(name);
}

/**
 * What create-react-app and Vue CLI define: `NODE_ENV`, `PUBLIC_URL` and `REACT_APP_…`, `BASE_URL` and
 * `VUE_APP_…`.
 */
function listProcessValues(env: Environment): Map<string, string> {
  const own = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    isToolName(name) ? [[name, String(value)]] : [],
  );
  return new Map([
    ['NODE_ENV', String(env['MODE'])],
    ['PUBLIC_URL', ''],
    ['BASE_URL', '/'],
    ...own,
  ]);
}

/** A reference in a page: `%VITE_TITLE%`, `%PUBLIC_URL%`. */
const pageReference = /%([A-Z][A-Z0-9_]*)%/g;

/** Whether a page may refer to values of the environment. */
export function refersToEnvironment(html: string): boolean {
  return html.search(pageReference) !== -1;
}

/** Creates edits that replace references in a page, such as `%MODE%`. Unknown names stay. */
export function findPageReferenceEdits(html: string, env: Environment): Edit[] {
  const values = new Map([...Object.entries(env), ...listProcessValues(env)]);
  return Array.from(html.matchAll(pageReference)).flatMap(({ 0: whole, 1: name = '', index }) => {
    const value = values.get(name);
    return value === undefined
      ? []
      : [{ start: index, end: index + whole.length, text: String(value) }];
  });
}
