/** Finds the variables of a Svelte component whose values HMR preserves. */
import type { AnyNode, FunctionDeclaration } from 'acorn';
import { getChildNodes } from '../script/syntax-tree.ts';
import { getSvelteCallName } from './generated-code.ts';

export interface StatefulVariable {
  name: string;
  /** Start index of the initial value. Equal to `end` if there is none. */
  start: number;
  end: number;
  /** The node of the initial value; undefined if there is none. */
  initialValue: AnyNode | undefined;
  /** Whether it is a Svelte signal. */
  isSignal: boolean;
}

/**
 * Finds state (`$state`, and reactive variables without runes) and plain variables with a literal
 * initial value (`let next = 1`), which often belong to the state. Values created by a call may be
 * more than data, such as a timer or a subscription, and have to be recreated.
 */
export function findStatefulVariables({ body }: FunctionDeclaration): StatefulVariable[] {
  return body.body.flatMap((statement) => {
    if (statement.type !== 'VariableDeclaration') return [];
    return statement.declarations.flatMap(({ id, init }) => {
      const isFixed = statement.kind === 'const' && init?.type === 'Literal';
      if (id.type !== 'Identifier' || !init || isFixed) return [];
      const found = findInitialValue(init);
      return found ? [{ name: id.name, ...found }] : [];
    });
  });
}

function findInitialValue(init: AnyNode): Omit<StatefulVariable, 'name'> | undefined {
  if (init.type !== 'CallExpression')
    return isData(init) && !isNullLiteral(init) ? createValue(init, false) : undefined;
  const [first] = init.arguments;
  switch (getSvelteCallName(init)) {
    case 'tag':
    case 'tag_proxy':
      return first && findInitialValue(first);
    case 'state':
    case 'mutable_source':
      if (first) return createValue(first, true);
      return { start: init.end - 1, end: init.end - 1, initialValue: undefined, isSignal: true };
    case 'proxy':
      return createValue(init, false);
    default:
      return undefined;
  }
}

function createValue(node: AnyNode, isSignal: boolean): Omit<StatefulVariable, 'name'> | undefined {
  const { start, end } = node;
  return containsAwait(node) ? undefined : { start, end, initialValue: node, isSignal };
}

function isNullLiteral(node: AnyNode): boolean {
  return node.type === 'Literal' && node.value === null;
}

/** Whether an expression is a literal, or an array or object of literals. */
function isData(node: AnyNode | null): boolean {
  switch (node?.type) {
    case 'Literal':
      return !node.regex;
    case 'UnaryExpression':
    case 'TemplateLiteral':
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'TemplateElement':
      return getChildNodes(node).every(isData);
    case 'Property':
      return node.kind === 'init' && !node.computed && isData(node.value);
    default:
      return false;
  }
}

function containsAwait(node: AnyNode): boolean {
  return node.type === 'AwaitExpression' || getChildNodes(node).some(containsAwait);
}
