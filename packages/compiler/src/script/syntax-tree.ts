/** Helpers for acorn syntax trees. */
import type { AnyNode } from 'acorn';

export function getChildNodes(node: AnyNode): AnyNode[] {
  return Object.values(node).flat().filter(isNode);
}

/** Returns all identifiers in a node that may be variables. */
export function getVariableNames(node: AnyNode): string[] {
  switch (node.type) {
    case 'Identifier':
      return [node.name];
    case 'MemberExpression':
      return (node.computed ? [node.object, node.property] : [node.object]).flatMap(
        getVariableNames,
      );
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return getChildNodes(node)
        .filter((child) => node.computed || child !== node.key)
        .flatMap(getVariableNames);
    default:
      return getChildNodes(node).flatMap(getVariableNames);
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
