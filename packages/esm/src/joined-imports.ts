/** Imports of joined modules, led past the stand-ins to the files that hold the code. */
import { parse } from 'es-module-lexer';
import { joinAddress, type JoinedModule, type JoinManifest } from './build/join-manifest.ts';
import { readBindings } from './build/placeholders.ts';

export interface Join {
  /** The head's address. */
  readonly base: string;
  readonly folder: string;
  readonly manifest: JoinManifest;
}

/**
 * `import { b as c } from "HEAD/-in/x"` → `import { "b$7" as c } from "HEAD/-join/1.js"`. An import of
 * all names, or of names that are not known, stays.
 */
export function leadToJoined(text: string, joins: readonly Join[]): string {
  if (joins.length === 0) return text;
  let led = '';
  let last = 0;
  for (const { type, specifier, importStart, importEnd, start } of parse(text)[0]) {
    if (type !== 'static' || !specifier) continue;
    const found = findJoined(joins, specifier);
    const before = text.slice(importStart, start);
    const bindings = /^import\s*["']$/.test(before) ? [] : readBindings(before);
    const direct = found && bindings && importFrom(found.module, found.join.base, bindings);
    if (direct === undefined) continue;
    // As many lines as before: the source map goes by lines.
    const lines = text.slice(importStart, importEnd).split('\n').length - 1;
    led += text.slice(last, importStart) + direct + '\n'.repeat(lines);
    last = importEnd;
  }
  return led + text.slice(last);
}

/** Where the module at an address is now. */
export function findJoined(
  joins: readonly Join[],
  address: string,
): { readonly join: Join; readonly module: JoinedModule } | undefined {
  for (const join of joins) {
    const { modules } = join.manifest;
    const module = Object.hasOwn(modules, address) ? modules[address] : undefined;
    if (module !== undefined) return { join, module };
  }
  return undefined;
}

function importFrom(
  { file, suffix, names }: JoinedModule,
  base: string,
  bindings: readonly (readonly [string, string])[],
): string | undefined {
  if (!bindings.every(([there]) => names.includes(there))) return undefined;
  const list = bindings.map(([there, here]) => `${JSON.stringify(there + suffix)} as ${here}`);
  if (list.length === 0) return `import ${JSON.stringify(joinAddress(base, file))}`;
  return `import { ${list.join(', ')} } from ${JSON.stringify(joinAddress(base, file))}`;
}
