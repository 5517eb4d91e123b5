/**
 * Finds the names that an import statement imports, sorted, without `default`. For a namespace
 * import, searches the code for its members; extra names do no harm.
 * "import a, { b as c, d } from 'x'" → ["b", "d"]; "import * as ns from 'x'; ns.e()" → ["e"]
 */
export function importedNames(statement: string, code: string): string[] {
  const names = new Set(/^(?:import|export)\b/.test(statement) ? readNamedImports(statement) : []);
  const namespace = /^import\b[^{'"]*\*\s*as\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(
    statement,
  )?.[1];
  if (namespace !== undefined) for (const name of findMembers(namespace, code)) names.add(name);
  names.delete('default');
  return [...names].sort();
}

/** Returns the names in the braces: "{ a, b as c, 'd e' as f }" → a, b, d e */
function readNamedImports(statement: string): string[] {
  const inner = /\{([^}]*)\}\s*from\b/.exec(statement)?.[1] ?? '';
  return inner
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .split(',')
    .map((item) => item.trim().replace(/\s+as\s[\s\S]*$/, ''))
    .map((name) => name.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
}

function* findMembers(namespace: string, code: string): Generator<string> {
  const escaped = namespace.replaceAll('$', String.raw`\$`);
  const access = new RegExp(
    String.raw`(?<![\p{ID_Continue}$.])${escaped}\s*\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)`,
    'gu',
  );
  for (const [, name = ''] of code.matchAll(access)) yield name;
}
