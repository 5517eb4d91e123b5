import type { AnyNode } from 'acorn';
import { parseScript } from './parse-script.ts';
import { namesIn } from './script-nodes.ts';

const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/**
 * Names that have come into a text with an edit and that nothing declares, in whatever scope, as one
 * that is half typed: `{coun` of `{count`. `code` is the module that was made of the text; of what
 * `isKnown` nothing is looked for.
 */
export function findUnknownNames(
  before: string,
  text: string,
  code: string,
  isKnown: (name: string) => boolean,
): string[] {
  const earlier = new Set(before.match(word));
  const added = new Set(text.match(word)?.filter((name) => !earlier.has(name)));
  const sought = [...added].filter((name) => !isKnown(name));
  // Most letters bring none.
  const program = sought.length > 0 && parse(code);
  if (!program) return [];
  const [used, declared] = [new Set<string>(), new Set<string>(['arguments'])];
  readNames(program, used, declared);
  return sought.filter((name) => used.has(name) && !declared.has(name));
}

function parse(code: string): AnyNode | undefined {
  try {
    return parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (error) {
    // What runs may hold what acorn does not know yet.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Adds what looks like a variable, and what is declared; with each letter, so that it has to be quick. */
function readNames(node: AnyNode, used: Set<string>, declared: Set<string>): void {
  if (node.type === 'Identifier') {
    used.add(node.name);
    return;
  }
  for (const part of namingParts(node))
    if (part) for (const name of namesIn(part)) declared.add(name);
  // A name behind a point, or ahead of a colon, is none of a variable.
  const skipped =
    'computed' in node && !node.computed ? ('property' in node ? node.property : node.key) : null;
  for (const key in node) {
    const value: unknown = node[key as keyof AnyNode];
    if (typeof value !== 'object' || value === null || value === skipped) continue;
    if (!Array.isArray(value)) readIfNode(value, used, declared);
    else for (const each of value) readIfNode(each, used, declared);
  }
}

function readIfNode(value: unknown, used: Set<string>, declared: Set<string>): void {
  if (typeof value === 'object' && value !== null && 'type' in value)
    readNames(value as AnyNode, used, declared);
}

/** Parts whose names it declares, or that are names of no variable that could be missed. */
function namingParts(node: AnyNode): readonly (AnyNode | null | undefined)[] {
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
