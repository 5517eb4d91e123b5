/** The built scripts that pages and workers load after a page has opened. */
import { readdirSync, readFileSync } from 'node:fs';

const assets = new URL('../../apps/web/build/client/assets/', import.meta.url);
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));

export const workerScripts = scripts.filter((name) => /-worker-[\w-]{8}\.js$/.test(name));

/** Scripts that pages load by `import()`. */
export const lazyScripts = [
  ...new Set(
    scripts
      .filter((name) => !workerScripts.includes(name))
      .flatMap((name) => [
        ...readFileSync(new URL(name, assets), 'utf8').matchAll(/import\(`\.\/([^`]+)`\)/g),
      ])
      .map(([, name]) => name ?? ''),
  ),
];

/** The name of a file in a URL of a built script: `…/assets/host-B952iWa3.js` → `host-B952iWa3.js` */
export const scriptName = (url: string): string | undefined =>
  /\/assets\/([^/]+\.js)$/.exec(new URL(url).pathname)?.[1];

/** Input of `importLazily`. */
export const lazyImports = {
  names: lazyScripts,
  /** The script with the app's `importCode`. */
  shared: scripts.find((name) => /^first-[\w-]{8}\.js$/.test(name)) ?? '',
};

/** Runs in a page: loads each script as the app does. Resolves to the failures. */
export async function importLazily({ shared, names }: typeof lazyImports): Promise<string[]> {
  type Import = (load: () => Promise<object>, files: readonly string[]) => Promise<object>;
  const app: Record<string, unknown> = await import(`/assets/${shared}`);
  // async function importCode(load, files = [])
  const importCode = Object.values(app).find(
    (value): value is Import =>
      typeof value === 'function' && /^async function \w+\(\w+,\w+=\[\]\)/.test(String(value)),
  );
  if (!importCode) throw new Error('the app has no importCode');
  const failures = await Promise.all(
    names.map((name) =>
      importCode(() => import(`/assets/${name}`), [`assets/${name}`]).then(
        () => [],
        (error: unknown) => [`${name}: ${String(error)}`],
      ),
    ),
  );
  return failures.flat();
}
