/** Imports of joined modules, led past the stand-ins to the files that hold the code. */
import { parse } from 'es-module-lexer';
import { joinAddress, type JoinedModule, type JoinManifest } from './build/join-manifest.ts';
import { readBindings } from './build/placeholders.ts';

/**
 * `import { b as c } from "HEAD/-in/x"` → `import { "b$7" as c } from "HEAD/-join/1.js"`. An import of
 * all names, or of names that are not known, stays.
 */
export function leadToJoined(text: string, base: string, { modules }: JoinManifest): string {
  let led = '';
  let last = 0;
  for (const { type, specifier, importStart, importEnd, start } of parse(text)[0]) {
    if (type !== 'static' || !specifier) continue;
    const module = Object.hasOwn(modules, specifier) ? modules[specifier] : undefined;
    const before = text.slice(importStart, start);
    const bindings = /^import\s*["']$/.test(before) ? [] : readBindings(before);
    const direct = module && bindings && importFrom(module, base, bindings);
    if (direct === undefined) continue;
    // As many lines as before: the source map goes by lines.
    const lines = text.slice(importStart, importEnd).split('\n').length - 1;
    led += text.slice(last, importStart) + direct + '\n'.repeat(lines);
    last = importEnd;
  }
  return led + text.slice(last);
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
