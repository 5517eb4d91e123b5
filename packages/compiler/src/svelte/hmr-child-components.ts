/** Finds the child components in a component's markup that exist once per instance. */
import type { AnyNode, CallExpression, FunctionDeclaration } from 'acorn';
import { getChildNodes } from '../script/syntax-tree.ts';
import { getSvelteCallName } from './generated-code.ts';

interface ChildComponent {
  /** Key such as "Part 1/2", stable in edits that don't change the components with this name. */
  key: string;
  /** The node of the component's props object. */
  properties: AnyNode;
}

export function findChildComponents({ body }: FunctionDeclaration): ChildComponent[] {
  const found = findCreatedComponents(body);
  return found.map(({ tag, properties }, at) => {
    const isAlike = (one: { tag: string }) => one.tag === tag;
    const number = found.slice(0, at).filter(isAlike).length + 1;
    return { key: `${tag} ${number}/${found.filter(isAlike).length}`, properties };
  });
}

interface CreatedComponent {
  tag: string;
  properties: AnyNode;
}

/** Finds created components, except in `{#each}` and in snippets, which may be rendered several times. */
function findCreatedComponents(node: AnyNode): CreatedComponent[] {
  const called = getSvelteCallName(node);
  if (called === 'each' || called === 'wrap_snippet') return [];
  // A component's children are a snippet that is rendered once.
  if (node.type === 'Property' && isChildren(node.key))
    return getChildNodes(node.value).flatMap(findCreatedComponents);
  const inside = getChildNodes(node).flatMap(findCreatedComponents);
  const tag = findTag(node);
  const properties = tag === undefined ? undefined : findCreation(node)?.arguments[1];
  return tag !== undefined && properties ? [{ tag, properties }, ...inside] : inside;
}

function isChildren(key: AnyNode): boolean {
  return key.type === 'Identifier' && key.name === 'children';
}

/** `$.add_svelte_meta(() => …, 'component', App, 1, 2, { componentTag: 'Part' })` → "Part" */
function findTag(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression' || getSvelteCallName(node) !== 'add_svelte_meta')
    return undefined;
  const [, kind, , , , more] = node.arguments;
  if (kind?.type !== 'Literal' || kind.value !== 'component') return undefined;
  const [property] = more?.type === 'ObjectExpression' ? more.properties : [];
  const value = property?.type === 'Property' ? property.value : undefined;
  return value?.type === 'Literal' ? String(value.value) : undefined;
}

/** Finds the call `Part(node_1, { … })`, which may be nested in other calls. */
function findCreation(node: AnyNode): CallExpression | undefined {
  if (node.type === 'CallExpression' && isCreation(node)) return node;
  for (const child of getChildNodes(node)) {
    const found = findCreation(child);
    if (found) return found;
  }
  return undefined;
}

function isCreation(node: CallExpression): boolean {
  if (getSvelteCallName(node) !== undefined) return false;
  const [anchor, properties] = node.arguments;
  return anchor?.type === 'Identifier' && /^(?:\$\$anchor$|node)/.test(anchor.name) && !!properties;
}
