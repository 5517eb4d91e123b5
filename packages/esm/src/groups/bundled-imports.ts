/**
 * Rewrites imports of bundled modules so that they load the bundle file with the code instead of a
 * facade.
 */
import { parse } from 'es-module-lexer';
import { getBundleUrl, type BundledModule, type BundleManifest } from '../build/bundle-manifest.ts';
import { readBindings } from '../build/placeholders.ts';

/** Bundle of a package group. */
export interface GroupBundle {
  /** Base URL of the root package. */
  readonly base: string;
  readonly folder: string;
  readonly manifest: BundleManifest;
}

/**
 * `import { b as c } from "ROOT/-in/x"` → `import { "b$7" as c } from "ROOT/-join/1.js"`. Imports
 * of a namespace or of unknown names are not changed.
 */
export function redirectToBundles(text: string, bundles: readonly GroupBundle[]): string {
  if (bundles.length === 0) return text;
  let rewritten = '';
  let last = 0;
  for (const { type, specifier, importStart, importEnd, start } of parse(text)[0]) {
    if (type !== 'static' || !specifier) continue;
    const found = findBundledModule(bundles, specifier);
    const before = text.slice(importStart, start);
    const bindings = /^import\s*["']$/.test(before) ? [] : readBindings(before);
    const direct = found && bindings && writeImport(found.module, found.bundle.base, bindings);
    if (direct === undefined) continue;
    // Keeps the number of lines, because the source map refers to lines.
    const lines = text.slice(importStart, importEnd).split('\n').length - 1;
    rewritten += text.slice(last, importStart) + direct + '\n'.repeat(lines);
    last = importEnd;
  }
  return rewritten + text.slice(last);
}

/** Finds the bundle that contains the module at a URL. */
export function findBundledModule(
  bundles: readonly GroupBundle[],
  url: string,
): { readonly bundle: GroupBundle; readonly module: BundledModule } | undefined {
  for (const bundle of bundles) {
    const { modules } = bundle.manifest;
    const module = Object.hasOwn(modules, url) ? modules[url] : undefined;
    if (module !== undefined) return { bundle, module };
  }
  return undefined;
}

function writeImport(
  { file, suffix, names }: BundledModule,
  base: string,
  bindings: readonly (readonly [string, string])[],
): string | undefined {
  if (!bindings.every(([imported]) => names.includes(imported))) return undefined;
  const list = bindings.map(
    ([imported, local]) => `${JSON.stringify(imported + suffix)} as ${local}`,
  );
  if (list.length === 0) return `import ${JSON.stringify(getBundleUrl(base, file))}`;
  return `import { ${list.join(', ')} } from ${JSON.stringify(getBundleUrl(base, file))}`;
}
