/** The variables of a component that hold something from one moment to the next. */
import type { AnyNode, FunctionDeclaration } from 'acorn';
import { childrenOf } from '../script-nodes.ts';
import { calledName } from './code-nodes.ts';

export interface HeldValue {
  name: string;
  /** Where what it begins with stands; empty where nothing does. */
  start: number;
  end: number;
  /** What it begins with; undefined for nothing. */
  beginning: AnyNode | undefined;
  /** Whether it is read and written by way of Svelte. */
  isSignal: boolean;
}

/**
 * State (`$state`, and what is reactive before runes), and plain variables that begin as data
 * (`let next = 1`), which often go with it. What is made by a call may be more than data, such as a
 * timer or a subscription, and has to be made again.
 */
export function findHeldValues({ body }: FunctionDeclaration): HeldValue[] {
  return body.body.flatMap((statement) => {
    if (statement.type !== 'VariableDeclaration') return [];
    return statement.declarations.flatMap(({ id, init }) => {
      const isFixed = statement.kind === 'const' && init?.type === 'Literal';
      if (id.type !== 'Identifier' || !init || isFixed) return [];
      const found = findBeginning(init);
      return found ? [{ name: id.name, ...found }] : [];
    });
  });
}

function findBeginning(init: AnyNode): Omit<HeldValue, 'name'> | undefined {
  if (init.type !== 'CallExpression')
    return isData(init) && !isNothing(init) ? beginWith(init, false) : undefined;
  const [first] = init.arguments;
  switch (calledName(init)) {
    case 'tag':
    case 'tag_proxy':
      return first && findBeginning(first);
    case 'state':
    case 'mutable_source':
      if (first) return beginWith(first, true);
      return { start: init.end - 1, end: init.end - 1, beginning: undefined, isSignal: true };
    case 'proxy':
      return beginWith(init, false);
    default:
      return undefined;
  }
}

function beginWith(node: AnyNode, isSignal: boolean): Omit<HeldValue, 'name'> | undefined {
  const { start, end } = node;
  return waits(node) ? undefined : { start, end, beginning: node, isSignal };
}

function isNothing(node: AnyNode): boolean {
  return node.type === 'Literal' && node.value === null;
}

/** Numbers, texts and the like, and lists and records of them. */
function isData(node: AnyNode | null): boolean {
  switch (node?.type) {
    case 'Literal':
      return !node.regex;
    case 'UnaryExpression':
    case 'TemplateLiteral':
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'TemplateElement':
      return childrenOf(node).every(isData);
    case 'Property':
      return node.kind === 'init' && !node.computed && isData(node.value);
    default:
      return false;
  }
}

function waits(node: AnyNode): boolean {
  return node.type === 'AwaitExpression' || childrenOf(node).some(waits);
}
