/** The code that Svelte's compiler makes, as a tree. */
import type { AnyNode, FunctionDeclaration, Program } from 'acorn';

/** The function that is the module's default export. */
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

/** Of a call of Svelte's own functions: "$.state(0)" → "state"; undefined for anything else. */
export function calledName(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return undefined;
  if (callee.object.name !== '$' || callee.property.type !== 'Identifier') return undefined;
  return callee.property.name;
}
