/**
 * Rewrites imports of a module that only re-exports, so that they import from the file with the
 * code.
 */
import type { Placeholder } from '../build/placeholders.ts';

/** A rewritten import. */
export interface BypassingImport {
  /** Replaces the import statement. */
  readonly statement: string;
  /** Inserted at the start of the module, on its first line. */
  readonly prologue: string;
}

/** A module that only re-exports. */
interface ReexportingModule {
  /** Exported name → its name in the file with the code. */
  readonly names: Readonly<Record<string, string>>;
  /** Whether it may export more than `names`, from `export *` of other packages. */
  readonly hasStars: boolean;
  /** Whether it is CommonJS that may export names which can't be read from its text. */
  readonly hidesNames: boolean;
}

/**
 * Rewrites an import of the module `passed` to import from the file `from`.
 *
 * @param exported Names that the importing module exports so far; those of a rewritten `export *`
 * are added.
 * @returns Undefined when the rewritten import could mean something else.
 */
export function bypassReexport(
  text: string,
  { statement, members = [] }: Placeholder,
  passed: ReexportingModule,
  from: string,
  exported: () => Set<string>,
): BypassingImport | undefined {
  switch (statement?.takes) {
    case 'names': {
      const list = renameBindings(statement.bindings, passed);
      return list && { statement: writeImport(list, from), prologue: '' };
    }
    case 'members':
      return rewriteMembers(text, statement.as, members, passed, from);
    case 'all':
      if (passed.hasStars || passed.hidesNames) return undefined;
      return { statement: writeExportAll(passed, from, exported()), prologue: '' };
    case undefined:
      return undefined;
  }
}

/**
 * Replaces `import * as x`, when only members of x are used, with an object that has getters for
 * them. The object is declared at the start of the module, because hoisted functions may be called
 * before the line of the import runs.
 */
function rewriteMembers(
  text: string,
  namespace: string,
  members: readonly string[],
  passed: ReexportingModule,
  from: string,
): BypassingImport | undefined {
  const known = members.filter((name) => Object.hasOwn(passed.names, name));
  const isWhole = known.length === members.length || !(passed.hasStars || passed.hidesNames);
  if (!isWhole || members.length === 0 || text.includes(`${namespace}$`)) return undefined;
  const localName = (name: string) => `${namespace}$${name}`;
  const list = renameBindings(
    known.map((name) => [name, localName(name)]),
    passed,
  );
  const getters = known.map((name) => `get ${name}() { return ${localName(name)}; }`);
  const head = `const ${namespace} = { ${['__proto__: null', ...getters].join(', ')} }; `;
  return list && { statement: writeImport(list, from), prologue: head };
}

function writeExportAll({ names }: ReexportingModule, from: string, exported: Set<string>): string {
  // A module's own exports take precedence over those of an `export *`.
  const added = Object.keys(names).filter((name) => name !== 'default' && !exported.has(name));
  for (const name of added) exported.add(name);
  const list = added.map((name) => `${JSON.stringify(names[name])} as ${JSON.stringify(name)}`);
  return list.length > 0
    ? `export { ${list.join(', ')} } from ${JSON.stringify(from)}`
    : writeImport([], from);
}

/**
 * [imported name, local name] → [name in the file, local name]. Undefined when a name isn't known.
 */
function renameBindings(
  bindings: readonly (readonly [string, string])[],
  { names }: ReexportingModule,
): (readonly [string, string])[] | undefined {
  const renamed = bindings.flatMap(([imported, local]) => {
    const inFile = Object.hasOwn(names, imported) ? names[imported] : undefined;
    return inFile === undefined ? [] : [[inFile, local] as const];
  });
  return renamed.length === bindings.length ? renamed : undefined;
}

function writeImport(bindings: readonly (readonly [string, string])[], from: string): string {
  const list = bindings.map(([imported, local]) => `${JSON.stringify(imported)} as ${local}`);
  const taken = list.length > 0 ? `{ ${list.join(', ')} } from ` : '';
  return `import ${taken}${JSON.stringify(from)}`;
}
