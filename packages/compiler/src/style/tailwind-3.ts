/**
 * Stylesheets and configuration files of Tailwind 3, which Tailwind 4 compiles: its directives become
 * the imports of version 4, and its configuration file is read without running it.
 */
import { getMajor } from '../framework-versions.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { isStylePath } from '../file-kinds.ts';
import { getPosition } from '../page/instrument-html.ts';
import { getRelativePath } from './relative-path.ts';
import type { LanguageContext, ModuleSource } from '../compile-context.ts';

interface AdaptedStyle {
  /** The stylesheet for version 4, with the same lines. */
  text: string;
  warnings: CompileDiagnostic[];
}

const directive = /@tailwind\s+(base|preflight|components|utilities|screens|variants)\s*;?/g;

/** Whether a stylesheet has directives that only version 3 has. */
function usesDirectives(text: string): boolean {
  return /@tailwind\s+(?:base|components|screens|variants)\b/.test(text);
}

/**
 * Adapts a stylesheet of a project of Tailwind 3. Others stay the same.
 * A stylesheet that only uses classes (`@apply`) refers to Tailwind's, as every one of version 3 did.
 */
export function adaptTailwind3(source: ModuleSource, context: LanguageContext): AdaptedStyle {
  const { text } = source;
  const hasDirectives = usesDirectives(text);
  if (!hasDirectives && (namesTailwind(text) || !isProjectOfTailwind3(context)))
    return { text, warnings: [] };
  const config = findConfig(context.readAll().keys());
  const end = config === undefined ? '' : `\n@config ${JSON.stringify(`/${config}`)};`;
  if (!hasDirectives) return { text: `${text}\n@reference "tailwindcss";${end}`, warnings: [] };
  let isFirst = true;
  const adapted = text.replace(directive, (_, name: string) => {
    const before = isFirst ? theme : '';
    isFirst = false;
    return before + (imports[name] ?? '');
  });
  const { fixes = [], ...warning } = createWarning(source, config);
  // A style block of a component isn't a file that a fix could edit.
  return {
    text: adapted + end,
    warnings: [{ ...warning, ...(context.exists(source.path) && { fixes }) }],
  };
}

function namesTailwind(text: string): boolean {
  return /@(?:import|reference)\s+["']tailwindcss|@tailwind\b/.test(text);
}

/** Goes before the first directive. */
const theme =
  '@layer theme, base, components, utilities; @import "tailwindcss/theme" layer(theme); ';

const preflight =
  '@import "tailwindcss/preflight" layer(base); ' +
  // The default color of borders was gray until version 4.
  '@layer base { *, ::after, ::before, ::backdrop, ::file-selector-button { border-color: var(--color-gray-200, currentcolor); } }';

const imports: Readonly<Record<string, string>> = {
  base: preflight,
  preflight,
  utilities: '@import "tailwindcss/utilities" layer(utilities);',
};

/** The lockfile or package.json says so, or a stylesheet of a project without them. */
function isProjectOfTailwind3({ versions, readAll }: LanguageContext): boolean {
  if (versions.tailwindcss !== undefined) return getMajor(versions.tailwindcss) === 3;
  return [...readAll()].some(([path, text]) => isStylePath(path) && usesDirectives(text));
}

/** Finds the configuration file closest to the project's folder. */
function findConfig(paths: Iterable<string>): string | undefined {
  const found = [...paths].filter((path) => /(?:^|\/)tailwind\.config\.(?:[cm]?js|ts)$/.test(path));
  return found.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))[0];
}

/** Creates the warning, with a fix that replaces the directives with what version 4 has for them. */
function createWarning(
  { path, text }: ModuleSource,
  config: string | undefined,
): CompileDiagnostic {
  const [block = ''] = /@tailwind\s+\w+\s*;(?:\s*@tailwind\s+\w+\s*;)*/.exec(text) ?? [];
  const location = getPosition(text, text.search(/@tailwind\b/));
  const relative = config === undefined ? '' : getRelativePath(path, config);
  const configLine =
    config === undefined
      ? ''
      : `\n@config ${JSON.stringify(relative.startsWith('.') ? relative : `./${relative}`)};`;
  const edit = {
    type: 'replace',
    path,
    ...location,
    before: block,
    text: `@import "tailwindcss";${configLine}`,
  } as const;
  return {
    message:
      'This Tailwind 3 stylesheet is compiled with Tailwind 4, so some classes may look different.',
    ...location,
    severity: 'warning',
    ...(block !== '' && { fixes: [{ label: 'Change to @import "tailwindcss"', edit }] }),
  };
}
