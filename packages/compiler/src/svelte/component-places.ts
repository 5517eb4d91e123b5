/** Where a component's markup makes other components, each once for an instance of it. */
import type { AnyNode, CallExpression, FunctionDeclaration } from 'acorn';
import { childrenOf } from '../script-nodes.ts';
import { calledName } from './code-nodes.ts';

export interface ComponentPlace {
  /** The same after an edit that leaves the components of this name alone: "Part 1/2". */
  place: string;
  /** The object of properties that the component is made with. */
  properties: AnyNode;
}

export function findComponentPlaces({ body }: FunctionDeclaration): ComponentPlace[] {
  const found = findMade(body);
  return found.map(({ tag, properties }, at) => {
    const isAlike = (one: { tag: string }) => one.tag === tag;
    const number = found.slice(0, at).filter(isAlike).length + 1;
    return { place: `${tag} ${number}/${found.filter(isAlike).length}`, properties };
  });
}

interface Made {
  tag: string;
  properties: AnyNode;
}

/** Nothing of what is made for each item of a list, or wherever a snippet is rendered. */
function findMade(node: AnyNode): Made[] {
  const called = calledName(node);
  if (called === 'each' || called === 'wrap_snippet') return [];
  // What stands between a component's tags is a snippet that is rendered in one place.
  if (node.type === 'Property' && isChildren(node.key))
    return childrenOf(node.value).flatMap(findMade);
  const inside = childrenOf(node).flatMap(findMade);
  const tag = findTag(node);
  const properties = tag === undefined ? undefined : findMaking(node)?.arguments[1];
  return tag !== undefined && properties ? [{ tag, properties }, ...inside] : inside;
}

function isChildren(key: AnyNode): boolean {
  return key.type === 'Identifier' && key.name === 'children';
}

/** `$.add_svelte_meta(() => …, 'component', App, 1, 2, { componentTag: 'Part' })` → "Part" */
function findTag(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' || calledName(node) !== 'add_svelte_meta') return undefined;
  const [, kind, , , , more] = node.arguments;
  if (kind?.type !== 'Literal' || kind.value !== 'component') return undefined;
  const [property] = more?.type === 'ObjectExpression' ? more.properties : [];
  const value = property?.type === 'Property' ? property.value : undefined;
  return value?.type === 'Literal' ? String(value.value) : undefined;
}

/** `Part(node_1, { … })`, which may stand in a call that binds it, or chooses it. */
function findMaking(node: AnyNode): CallExpression | undefined {
  if (node.type === 'CallExpression' && isMaking(node)) return node;
  for (const child of childrenOf(node)) {
    const found = findMaking(child);
    if (found) return found;
  }
  return undefined;
}

function isMaking(node: CallExpression): boolean {
  if (calledName(node) !== undefined) return false;
  const [anchor, properties] = node.arguments;
  return anchor?.type === 'Identifier' && /^(?:\$\$anchor$|node)/.test(anchor.name) && !!properties;
}
