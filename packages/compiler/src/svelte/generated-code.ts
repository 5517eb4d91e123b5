/** Helpers for syntax trees of code that Svelte's compiler has generated. */
import type { AnyNode, FunctionDeclaration, Program } from 'acorn';

/** Finds the component's function, which is the module's default export. */
export function findComponent({ body }: Program): FunctionDeclaration | undefined {
  for (const node of body)
    if (node.type === 'ExportDefaultDeclaration' && node.declaration.type === 'Identifier') {
      const { name } = node.declaration;
      return body
        .filter((one): one is FunctionDeclaration => one.type === 'FunctionDeclaration')
        .find(({ id }) => id.name === name);
    }
  return undefined;
}

/** Returns the name of a called Svelte function: "$.state(0)" → "state"; undefined for other nodes. */
export function getSvelteCallName(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return undefined;
  if (callee.object.name !== '$' || callee.property.type !== 'Identifier') return undefined;
  return callee.property.name;
}
