/** Vue and Svelte as they are installed, built for a page the first time that one asks for them. */
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const entries = [
  'vue',
  'vue/jsx-dev-runtime',
  'svelte',
  'svelte/animate',
  'svelte/internal/client',
  'svelte/internal/flags/legacy',
  'svelte/store',
  'svelte/transition',
];

/** The answer to `/npm/vue@…`, whatever names are asked for, and to what it leads to, which is there once. */
export async function answerFramework(pathname: string): Promise<Response | undefined> {
  const [, name, subpath = ''] = /^\/npm\/(vue|svelte)@3\.0\.0~\w+(\/.*)?$/.exec(pathname) ?? [];
  if (name !== undefined) return script(`export * from "/frameworks/${name}${subpath}.js";`);
  const file = /^\/frameworks(\/.+)$/.exec(pathname)?.[1];
  if (file === undefined) return undefined;
  return script((await buildAll()).get(file) ?? 'throw new Error("no such part of a framework")');
}

function script(text: string): Response {
  return new Response(text, {
    headers: { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' },
  });
}

let built: Promise<Map<string, string>> | undefined;

function buildAll(): Promise<Map<string, string>> {
  built ??= buildNow();
  return built;
}

async function buildNow(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, entry])),
    absWorkingDir: fileURLToPath(new URL('../../../../examples', import.meta.url)),
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    outdir: '/',
    publicPath: '/frameworks',
    target: 'es2022',
    conditions: ['browser', 'development'],
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  });
  return new Map(outputFiles.map(({ path, text }) => [path, text]));
}

/** What npm would write for a project that depends on both. */
export const frameworkLock = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { vue: '3', svelte: '3' } },
    ...Object.fromEntries(
      ['vue', 'svelte'].map((name) => [
        `node_modules/${name}`,
        { version: '3.0.0', integrity: `sha512-${'a'.repeat(86)}==` },
      ]),
    ),
  },
});
