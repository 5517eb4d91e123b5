import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { buildBundleCached, type BundleOptions } from './bundle-cache.ts';
import { insertValues, browserTargets } from './scripts.ts';

/** Scripts of test pages, all below `/__vitrine/tests/`, with their hash in the name. */
export interface TestScripts {
  /** Texts by name. */
  files: ReadonlyMap<string, string>;
  /** URL of the first script of the page. */
  page: string;
  /** URL of the module that runs a file. */
  runner: string;
  /** Import map for packages that tests may import without installing them: specifier → URL. */
  imports: Readonly<Record<string, string>>;
}

export const testScriptsPath = '/__vitrine/tests/';

/** Entry points of the modules, by name. */
const modules = {
  runner: from('../frame/tests/runner.ts'),
  vitest: from('../frame/tests/vitest.ts'),
  dom: '@testing-library/dom',
  'user-event': '@testing-library/user-event',
  'jest-dom': '@testing-library/jest-dom/vitest',
  matchers: '@testing-library/jest-dom/matchers',
};

const specifiers: Readonly<Record<string, keyof typeof modules>> = {
  vitest: 'vitest',
  '@testing-library/dom': 'dom',
  '@testing-library/user-event': 'user-event',
  '@testing-library/jest-dom': 'jest-dom',
  '@testing-library/jest-dom/vitest': 'jest-dom',
  '@testing-library/jest-dom/matchers': 'matchers',
};

/**
 * Builds the scripts, which takes a second or two without a cached bundle. Called for the first test that anyone runs.
 */
export async function buildTestScripts(
  appOrigins: readonly string[],
  folder?: string,
): Promise<TestScripts> {
  const [page, built] = await Promise.all([
    buildPage(appOrigins, folder),
    buildBundleCached(moduleOptions, folder),
  ]);
  const names = Object.fromEntries(
    built.entries.map((file) => [file.replace(/-[^-]*$/, ''), testScriptsPath + file]),
  );
  const urlOf = (name: keyof typeof modules) => names[name] ?? '';
  return {
    files: new Map([...built.files, page]),
    page: testScriptsPath + page[0],
    runner: urlOf('runner'),
    imports: Object.fromEntries(
      Object.entries(specifiers).map(([specifier, name]) => [specifier, urlOf(name)]),
    ),
  };
}

async function buildPage(
  appOrigins: readonly string[],
  folder: string | undefined,
): Promise<[name: string, text: string]> {
  const { files } = await buildBundleCached(pageOptions, folder);
  // A test page loads no other scripts, because it is never updated in place.
  const known = { APP_ORIGINS: appOrigins, SCRIPT_URLS: {} };
  const text = insertValues(files.get('page.js') ?? '', known);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return [`page-${hash}.js`, text];
}

const pageOptions = {
  entryPoints: { page: from('../frame/tests/page.ts') },
  minify: true,
  format: 'iife',
  target: browserTargets,
  legalComments: 'none',
} satisfies BundleOptions;

const moduleOptions = {
  entryPoints: modules,
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  format: 'esm',
  target: browserTargets,
  // Vitest finds the line of an inline snapshot by its own function names in a stack trace, so names aren't minified.
  minifyWhitespace: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"test"' },
  alias: {
    // Parts of Vitest that only its server and benchmarks use.
    'vite/module-runner': from('../frame/tests/absent-parts.ts'),
    tinybench: from('../frame/tests/absent-parts.ts'),
  },
} satisfies BundleOptions;

function from(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
