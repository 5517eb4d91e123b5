/** Finds the declarations and imports that an expression depends on. */
import type { AnyNode, FunctionDeclaration, Program } from 'acorn';
import { getVariableNames } from '../script/syntax-tree.ts';

export interface ModuleDeclarations {
  /** Declarations of the component and its module, by declared name. */
  declarations: ReadonlyMap<string, AnyNode>;
  imports: ReadonlySet<string>;
}

export function findDeclarations(
  program: Program,
  component: FunctionDeclaration,
): ModuleDeclarations {
  const declarations = new Map<string, AnyNode>();
  const imports = new Set<string>();
  for (const node of [...program.body, ...component.body.body]) {
    // Svelte declares variables for the markup with `var`. They change with the markup.
    if (node === component || (node.type === 'VariableDeclaration' && node.kind === 'var'))
      continue;
    if (node.type === 'ImportDeclaration')
      for (const { local } of node.specifiers) imports.add(local.name);
    for (const [name, part] of declaredBy(node)) declarations.set(name, part);
  }
  // Svelte's own import, which all components have.
  imports.delete('$');
  return { declarations, imports };
}

function declaredBy(node: AnyNode): [name: string, part: AnyNode][] {
  if (node.type === 'ExportNamedDeclaration')
    return node.declaration ? declaredBy(node.declaration) : [];
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
    return node.id ? [[node.id.name, node]] : [];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap((one) =>
    getVariableNames(one.id).map((name): [string, AnyNode] => [name, one]),
  );
}

/** Returns the declarations an expression depends on, also indirectly, and the used imports, sorted. */
export function findDependencies(from: AnyNode, { declarations, imports }: ModuleDeclarations) {
  const parts = new Set<AnyNode>();
  const used = new Set<string>();
  const follow = (node: AnyNode) => {
    for (const name of getVariableNames(node)) {
      if (imports.has(name)) used.add(name);
      const part = declarations.get(name);
      if (!part || parts.has(part)) continue;
      parts.add(part);
      follow(part);
    }
  };
  follow(from);
  return { parts: [...parts], used: [...used].sort() };
}
