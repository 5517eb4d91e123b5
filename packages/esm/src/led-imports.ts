/** Imports led past a module that only hands on, to the file that holds its code. */
import type { Placeholder } from './build/placeholders.ts';

export interface LedImport {
  /** What stands in the statement's place. */
  readonly statement: string;
  /** What is to stand before all else, on the line that is the first. */
  readonly head: string;
}

/** A module that only hands on. */
interface Passed {
  /** Export → its name in the file. */
  readonly names: Readonly<Record<string, string>>;
  /** It may export more names than these: those of other packages; those that CommonJS hides. */
  readonly hasStars: boolean;
  readonly hidesNames: boolean;
}

/**
 * An import of the module `passed` taken from the file `from`; undefined where that would mean
 * another thing. `exported` are the names that the importing module has by now; those of an
 * `export *` are added.
 */
export function leadImport(
  text: string,
  { statement, members = [] }: Placeholder,
  passed: Passed,
  from: string,
  exported: () => Set<string>,
): LedImport | undefined {
  switch (statement?.takes) {
    case 'names': {
      const list = renameAll(statement.bindings, passed);
      return list && { statement: importOf(list, from), head: '' };
    }
    case 'members':
      return leadMembers(text, statement.as, members, passed, from);
    case 'all':
      if (passed.hasStars || passed.hidesNames) return undefined;
      return { statement: exportAll(passed, from, exported()), head: '' };
    case undefined:
      return undefined;
  }
}

/**
 * `import * as x`, of which only members are taken: an object of these. It stands before all that
 * runs, for functions may be called before the line of their import is reached.
 */
function leadMembers(
  text: string,
  space: string,
  members: readonly string[],
  passed: Passed,
  from: string,
): LedImport | undefined {
  const known = members.filter((name) => Object.hasOwn(passed.names, name));
  const isWhole = known.length === members.length || !(passed.hasStars || passed.hidesNames);
  if (!isWhole || members.length === 0 || text.includes(`${space}$`)) return undefined;
  const here = (name: string) => `${space}$${name}`;
  const list = renameAll(
    known.map((name) => [name, here(name)]),
    passed,
  );
  const getters = known.map((name) => `get ${name}() { return ${here(name)}; }`);
  const head = `const ${space} = { ${['__proto__: null', ...getters].join(', ')} }; `;
  return list && { statement: importOf(list, from), head };
}

function exportAll({ names }: Passed, from: string, exported: Set<string>): string {
  // A module's own names come before those of an `export *`.
  const fresh = Object.keys(names).filter((name) => name !== 'default' && !exported.has(name));
  for (const name of fresh) exported.add(name);
  const list = fresh.map((name) => `${JSON.stringify(names[name])} as ${JSON.stringify(name)}`);
  return list.length > 0
    ? `export { ${list.join(', ')} } from ${JSON.stringify(from)}`
    : importOf([], from);
}

/** [name there, name here] → [name in the file, name here]; undefined when one is not known. */
function renameAll(
  bindings: readonly (readonly [string, string])[],
  { names }: Passed,
): (readonly [string, string])[] | undefined {
  const renamed = bindings.flatMap(([there, here]) => {
    const inFile = Object.hasOwn(names, there) ? names[there] : undefined;
    return inFile === undefined ? [] : [[inFile, here] as const];
  });
  return renamed.length === bindings.length ? renamed : undefined;
}

function importOf(bindings: readonly (readonly [string, string])[], from: string): string {
  const list = bindings.map(([there, here]) => `${JSON.stringify(there)} as ${here}`);
  const taken = list.length > 0 ? `{ ${list.join(', ')} } from ` : '';
  return `import ${taken}${JSON.stringify(from)}`;
}
