/** React and Preact as they are installed here, as modules that share what they have in common. */
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const entries = {
  react: 'react',
  'react/jsx-dev-runtime': 'react/jsx-dev-runtime',
  'react-dom/client': 'react-dom/client',
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  'preact/jsx-dev-runtime': 'preact/jsx-dev-runtime',
};

/** By name and subpath, or name of the chunk. */
let modules: Promise<ReadonlyMap<string, string>> | undefined;

/** The answer to `/npm/react@19.0.0~HASH/jsx-dev-runtime` and the like. */
export async function answerRealPackage(pathname: string): Promise<Response | undefined> {
  const [, name, subpath = '', chunk] =
    /^\/npm\/(?:(react|react-dom|preact)@[\d.]+~[a-z2-7]{16}(\/.*)?|real\/(.*))$/.exec(pathname) ??
    [];
  const wanted = chunk ?? (name === undefined ? undefined : name + subpath);
  const text = wanted === undefined ? undefined : (await (modules ??= bundle())).get(wanted);
  if (text === undefined) return undefined;
  return new Response(text, {
    headers: { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' },
  });
}

async function bundle(): Promise<ReadonlyMap<string, string>> {
  const result = await build({
    entryPoints: Object.keys(entries).map((name) => ({ in: `entry:${name}`, out: name })),
    plugins: [
      {
        name: 'entries',
        setup(plugin) {
          plugin.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path, namespace: 'entry' }));
          plugin.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
            contents: entryText(path.slice('entry:'.length)),
            resolveDir: fileURLToPath(new URL('.', import.meta.url)),
          }));
        },
      },
    ],
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    outdir: '/',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return new Map(
    result.outputFiles.map(({ path, text }) => [
      path.slice(1).replace(/(?<!^chunk-.*)\.js$/, ''),
      text.replaceAll(/"(?:\.\.?\/)+(chunk-[\w-]+\.js)"/g, '"/npm/real/$1"'),
    ]),
  );
}

/** A package of the older kind shows its names only when it runs. */
function entryText(name: string): string {
  const exported = Object.keys(require(name) as object).filter(
    (key) => /^[a-zA-Z]\w*$/.test(key) && key !== 'default',
  );
  return `import * as all from ${JSON.stringify(name)};
export const { ${exported.join(', ')} } = all;`;
}

/** A lock and a list of these packages, in the versions that are installed. */
export function realPackages(...names: string[]): Record<string, string> {
  const versions = names.map((name) => {
    const { version } = require(`${name}/package.json`) as { version: string };
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
