import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { bundle, type KeptBuildOptions } from './kept-builds.ts';
import { complete, target } from './scripts.ts';

/** The scripts of pages that run tests, all below `/__vitrine/tests/`, named by their contents. */
export interface TestScripts {
  /** Name → text. */
  files: ReadonlyMap<string, string>;
  /** Runs first in the page. */
  page: string;
  /** The module that runs a file. */
  runner: string;
  /** What tests may import without having it: specifier → address. */
  imports: Readonly<Record<string, string>>;
}

export const testScriptsPath = '/__vitrine/tests/';

/** By their names among the scripts, what they are made from. */
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
 * Takes a second or two where nothing is kept in the folder, and is asked for with the first test
 * that anybody runs.
 */
export async function buildTestScripts(
  appOrigins: readonly string[],
  folder?: string,
): Promise<TestScripts> {
  const [page, built] = await Promise.all([
    buildPage(appOrigins, folder),
    bundle(moduleOptions, folder),
  ]);
  const names = Object.fromEntries(
    built.entries.map((file) => [file.replace(/-[^-]*$/, ''), testScriptsPath + file]),
  );
  const addressOf = (name: keyof typeof modules) => names[name] ?? '';
  return {
    files: new Map([...built.files, page]),
    page: testScriptsPath + page[0],
    runner: addressOf('runner'),
    imports: Object.fromEntries(
      Object.entries(specifiers).map(([specifier, name]) => [specifier, addressOf(name)]),
    ),
  };
}

async function buildPage(
  appOrigins: readonly string[],
  folder: string | undefined,
): Promise<[name: string, text: string]> {
  const { files } = await bundle(pageOptions, folder);
  // Modules of components are not replaced in a page of tests, which begins anew each time.
  const known = { APP_ORIGINS: appOrigins, SCRIPT_ADDRESSES: {} };
  const text = complete(files.get('page.js') ?? '', known);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return [`page-${hash}.js`, text];
}

const pageOptions = {
  entryPoints: { page: from('../frame/tests/page.ts') },
  minify: true,
  format: 'iife',
  target,
  legalComments: 'none',
} satisfies KeptBuildOptions;

const moduleOptions = {
  entryPoints: modules,
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  format: 'esm',
  target,
  // vitest finds the line of an inline snapshot by the names of its own functions in a stack.
  minifyWhitespace: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"test"' },
  alias: {
    // Parts of vitest that only its server and its benchmarks reach.
    'vite/module-runner': from('../frame/tests/absent-parts.ts'),
    tinybench: from('../frame/tests/absent-parts.ts'),
  },
} satisfies KeptBuildOptions;

function from(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
