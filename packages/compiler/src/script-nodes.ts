/** Helpers for acorn syntax trees. */
import type { AnyNode } from 'acorn';

export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flat().filter(isNode);
}

/** Returns all identifiers in a node that may be variables. */
export function namesIn(node: AnyNode): string[] {
  switch (node.type) {
    case 'Identifier':
      return [node.name];
    case 'MemberExpression':
      return (node.computed ? [node.object, node.property] : [node.object]).flatMap(namesIn);
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return childrenOf(node)
        .filter((child) => node.computed || child !== node.key)
        .flatMap(namesIn);
    default:
      return childrenOf(node).flatMap(namesIn);
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
