import type { AnyNode } from 'acorn';
import { parseScript } from './parse-script.ts';
import { getVariableNames } from './syntax-tree.ts';

const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/**
 * Finds names that an edit has added and that are declared nowhere in the module, such as an
 * incomplete identifier: `{coun` of `{count`.
 * @param code The compiled module of the text.
 * @param isKnown Whether a name is defined outside of the module; those are skipped.
 */
export function findUnknownNames(
  before: string,
  text: string,
  code: string,
  isKnown: (name: string) => boolean,
): string[] {
  const earlier = new Set(before.match(word));
  const added = new Set(text.match(word)?.filter((name) => !earlier.has(name)));
  const candidates = [...added].filter((name) => !isKnown(name));
  // Most keystrokes add no name.
  const program = candidates.length > 0 && parse(code);
  if (!program) return [];
  const [used, declared] = [new Set<string>(), new Set<string>(['arguments'])];
  collectNames(program, used, declared);
  return candidates.filter((name) => used.has(name) && !declared.has(name));
}

function parse(code: string): AnyNode | undefined {
  try {
    return parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    // The code may contain syntax that acorn doesn't support yet.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Collects used variables and declared names. Runs on every keystroke, so it has to be fast. */
function collectNames(node: AnyNode, used: Set<string>, declared: Set<string>): void {
  if (node.type === 'Identifier') {
    used.add(node.name);
    return;
  }
  for (const part of getDeclaringParts(node))
    if (part) for (const name of getVariableNames(part)) declared.add(name);
  // Names of members and of properties aren't variables.
  const skipped =
    'computed' in node && !node.computed ? ('property' in node ? node.property : node.key) : null;
  for (const key in node) {
    const value: unknown = node[key as keyof AnyNode];
    if (typeof value !== 'object' || value === null || value === skipped) continue;
    if (!Array.isArray(value)) collectIfNode(value, used, declared);
    else for (const each of value) collectIfNode(each, used, declared);
  }
}

function collectIfNode(value: unknown, used: Set<string>, declared: Set<string>): void {
  if (typeof value === 'object' && value !== null && 'type' in value)
    collectNames(value as AnyNode, used, declared);
}

/** Returns the parts of a node whose names it declares, or whose names aren't variables. */
function getDeclaringParts(node: AnyNode): readonly (AnyNode | null | undefined)[] {
  switch (node.type) {
    case 'VariableDeclarator':
    case 'ClassDeclaration':
    case 'ClassExpression':
      return [node.id];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return [node.id, ...node.params];
    case 'ArrowFunctionExpression':
      return node.params;
    case 'CatchClause':
      return [node.param];
    case 'ImportDeclaration':
      return node.specifiers;
    case 'MetaProperty':
      return [node.meta, node.property];
    case 'LabeledStatement':
      return [node.label];
    case 'ExportSpecifier':
    case 'ExportAllDeclaration':
      return [node.exported];
    case 'UnaryExpression':
      return node.operator === 'typeof' ? [node.argument] : [];
    default:
      return [];
  }
}
