import type { ScriptSettings } from './transform-script.ts';

/** What tsconfig.json and package.json of a project say about its scripts. */
export function readScriptSettings(read: (path: string) => string | undefined): ScriptSettings {
  const options = recordAt(parseWithComments(read('tsconfig.json') ?? ''), 'compilerOptions');
  const depends = readDependencies(read('package.json') ?? '');
  return {
    jsxRuntime: options['jsx'] === 'react' ? 'classic' : 'automatic',
    // React, unless the project depends on Preact or Vue and not on React.
    jsxImportSource:
      textAt(options, 'jsxImportSource') ?? ['react', 'preact', 'vue'].find(depends) ?? 'react',
    jsxFactory: textAt(options, 'jsxFactory'),
    jsxFragmentFactory: textAt(options, 'jsxFragmentFactory'),
    definesFields: options['useDefineForClassFields'] !== false,
    hasOwnDecorators: options['experimentalDecorators'] === true,
    jsxMode: 'development',
    refresh: depends('react') ? 'react' : depends('preact') ? 'preact' : null,
  };
}

function readDependencies(packageJson: string): (name: string) => boolean {
  const parsed = parseWithComments(packageJson);
  return (name) =>
    ['dependencies', 'devDependencies', 'peerDependencies'].some(
      (list) => textAt(recordAt(parsed, list), name) !== undefined,
    );
}

/** What is not closed goes on to the end, so that no part of the text is looked through twice. */
const comment = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const trailingComma = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|,(?=\s*[}\]])/g;

/** tsconfig.json may hold comments and trailing commas. What is no JSON says nothing. */
function parseWithComments(text: string): unknown {
  const keepStrings = (found: string) => (found.startsWith('"') ? found : '');
  try {
    return JSON.parse(text.replace(comment, keepStrings).replace(trailingComma, keepStrings));
  } catch (error) {
    // It is being written, or is not there.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function recordAt(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

function textAt(record: Record<string, unknown>, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
