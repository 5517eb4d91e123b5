import { build, type BuildOptions } from 'esbuild';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Takes a second or two, and is asked for with the first test that anybody runs. */
export async function buildTestScripts(appOrigins: readonly string[]): Promise<TestScripts> {
  const [page, built] = await Promise.all([buildPage(appOrigins), buildModules()]);
  const addressOf = (name: keyof typeof modules) => testScriptsPath + built.names[name];
  return {
    files: new Map([...built.files, page]),
    page: testScriptsPath + page[0],
    runner: addressOf('runner'),
    imports: Object.fromEntries(
      Object.entries(specifiers).map(([specifier, name]) => [specifier, addressOf(name)]),
    ),
  };
}

const target = ['chrome120', 'firefox128', 'safari17'];

async function buildPage(appOrigins: readonly string[]): Promise<[name: string, text: string]> {
  const { outputFiles } = await build({
    entryPoints: [from('../frame/tests/page.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target,
    legalComments: 'none',
    // Modules of components are not replaced in a page of tests, which begins anew each time.
    define: { APP_ORIGINS: JSON.stringify(appOrigins), SCRIPT_ADDRESSES: '{}' },
  });
  const text = outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return [`page-${hash}.js`, text];
}

async function buildModules(): Promise<{
  files: Map<string, string>;
  names: Record<string, string>;
}> {
  const options = {
    entryPoints: modules,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: '/',
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
  } satisfies BuildOptions;
  const { outputFiles, metafile } = await build(options);
  const names: Record<string, string> = {};
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    const name = basename(path);
    if (entryPoint) names[name.replace(/-[^-]*$/, '')] = name;
  }
  return {
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
    names,
  };
}

function from(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
