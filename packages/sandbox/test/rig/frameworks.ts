/** The installed React, Preact, Solid, Vue and Svelte, as modules with shared dependencies. */
import type { Plugin } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildBundleCached } from '../../src/server/bundle-cache.ts';
import { scriptsFolder } from './scripts-folder.ts';

/** Packages of the project templates. */
const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const require = createRequire(examples);

const modules = [
  'preact',
  'preact/hooks',
  'preact/jsx-dev-runtime',
  'solid-js',
  'solid-js/store',
  'solid-js/web',
  'vue',
  'vue/jsx-dev-runtime',
  'svelte',
  'svelte/animate',
  'svelte/internal/client',
  'svelte/internal/flags/legacy',
  'svelte/store',
  'svelte/transition',
  'svelte3',
  'svelte3/internal',
  'svelte4',
  'svelte3/transition',
  'svelte4/internal',
  'svelte4/transition',
];
/** CommonJS packages, whose exports are only known at run time. */
const commonJs = ['react', 'react/jsx-dev-runtime', 'react-dom/client'];

const namesOfCommonJs: Plugin = {
  name: 'names of CommonJS',
  setup(plugin) {
    plugin.onResolve({ filter: /^names-of:/ }, ({ path }) => ({
      path: path.slice('names-of:'.length),
      namespace: 'names-of',
    }));
    plugin.onLoad({ filter: /.*/, namespace: 'names-of' }, ({ path }) => ({
      contents: entryText(path),
      resolveDir: examples,
    }));
  },
};

function entryText(name: string): string {
  const exported = Object.keys(require(name) as object).filter(
    (key) => /^[a-zA-Z]\w*$/.test(key) && key !== 'default',
  );
  return `import * as all from ${JSON.stringify(name)};
export const { ${exported.join(', ')} } = all;`;
}

/** Packages that are installed under another name, with their major version. */
const earlierVersions = ['svelte3', 'svelte4'];

/** Response to `/npm/vue@…` with any `names`, and to the modules it imports, each of which exists once. */
export async function answerFramework(pathname: string): Promise<Response | undefined> {
  const [, name, major, subpath = ''] =
    /^\/npm\/(preact|react|react-dom|solid-js|svelte|vue)@(\d+)[\d.]+~\w+(\/.*)?$/.exec(pathname) ??
    [];
  if (name !== undefined) {
    const installed = earlierVersions.includes(`${name}${major}`) ? `${name}${major}` : name;
    return script(`export * from "/frameworks/${installed}${subpath}.js";`);
  }
  const file = /^\/frameworks\/(.+)$/.exec(pathname)?.[1];
  if (file === undefined) return undefined;
  const { files } = await (built ??= buildFrameworks());
  return script(files.get(file) ?? 'throw new Error("no such part of a framework")');
}

function script(text: string): Response {
  return new Response(text, {
    headers: { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' },
  });
}

/** Files, read on first request. */
let built: ReturnType<typeof buildBundleCached> | undefined;

export function buildFrameworks(): ReturnType<typeof buildBundleCached> {
  const entryPoints = [
    ...modules.map((name) => [name, name]),
    ...commonJs.map((name) => [name, `names-of:${name}`]),
  ];
  return buildBundleCached(
    {
      entryPoints: Object.fromEntries(entryPoints),
      absWorkingDir: examples,
      plugins: [namesOfCommonJs],
      splitting: true,
      format: 'esm',
      publicPath: '/frameworks',
      target: 'es2022',
      conditions: ['browser', 'development'],
      define: {
        'process.env.NODE_ENV': '"development"',
        __VUE_OPTIONS_API__: 'true',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
    scriptsFolder,
  );
}

/**
 * Lockfile and `package.json` for these packages, in the installed versions; `svelte4` is Svelte 4.
 */
export function realPackages(...names: string[]) {
  const versions = names.map((installed) => {
    const { name, version } = require(`${installed}/package.json`) as Record<
      'name' | 'version',
      string
    >;
    return [name, version] as const;
  });
  const integrity = `sha512-${'a'.repeat(86)}==`;
  return {
    'package.json': JSON.stringify({ dependencies: Object.fromEntries(versions) }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: Object.fromEntries(versions) },
        ...Object.fromEntries(
          versions.map(([name, version]) => [`node_modules/${name}`, { version, integrity }]),
        ),
      },
    }),
  };
}

/** The lockfile that npm would write for a project that depends on all of them. */
export const frameworkLock = realPackages('preact', 'react', 'react-dom', 'svelte', 'vue')[
  'package-lock.json'
];
