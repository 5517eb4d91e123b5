import { isRecord } from '@vitrine/project';
import type { ScriptSettings } from './transform-script.ts';

/** Reads the script settings of a project from tsconfig.json and package.json. */
export function readScriptSettings(read: (path: string) => string | undefined): ScriptSettings {
  const options = getRecord(parseWithComments(read('tsconfig.json') ?? ''), 'compilerOptions');
  const dependsOn = readDependencies(read('package.json') ?? '');
  return {
    jsxRuntime: options['jsx'] === 'react' ? 'classic' : 'automatic',
    // React is the default, unless the project depends on another of these and not on React.
    jsxImportSource:
      getText(options, 'jsxImportSource') ?? elementPackages.find(dependsOn) ?? 'react',
    jsxFactory: getText(options, 'jsxFactory'),
    jsxFragmentFactory: getText(options, 'jsxFragmentFactory'),
    definesFields: options['useDefineForClassFields'] !== false,
    hasOwnDecorators: options['experimentalDecorators'] === true,
    jsxMode: 'development',
    refreshLibrary: dependsOn('react') ? 'react' : dependsOn('preact') ? 'preact' : null,
  };
}

/** Packages that JSX creates elements with. The first that a project depends on is used. */
const elementPackages = ['react', 'preact', 'vue', 'solid-js'];

function readDependencies(packageJson: string): (name: string) => boolean {
  const parsed = parseWithComments(packageJson);
  return (name) =>
    ['dependencies', 'devDependencies', 'peerDependencies'].some(
      (list) => getText(getRecord(parsed, list), name) !== undefined,
    );
}

/** Strings and comments. Unclosed ones extend to the end, so that no text is scanned twice. */
const comment = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const trailingComma = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas, as in tsconfig.json. Undefined if invalid. */
function parseWithComments(text: string): unknown {
  const keepStrings = (found: string) => (found.startsWith('"') ? found : '');
  try {
    return JSON.parse(text.replace(comment, keepStrings).replace(trailingComma, keepStrings));
  } catch (error) {
    // The file is missing or incomplete.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function getRecord(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

function getText(record: Record<string, unknown>, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
