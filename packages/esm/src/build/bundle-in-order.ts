/** Entries that the main module loads anyway, in one file that runs in the order of the main module. */
import { build, type Plugin } from 'esbuild';
import { writeEntryModule } from './entry-module.ts';
import type { EsbuildOptions } from './esbuild-options.ts';
import { outputOf, type Joined, type MergedOutput } from './merge-chunks.ts';
import { createPlugin, entryPrefix, type BuildSubject } from './plugin.ts';

const whole = '~1';

/** `names` are files and the names of their modules in the output, the main one first. */
export async function bundleInOrder(
  subject: BuildSubject,
  names: ReadonlyMap<string, string>,
  options: EsbuildOptions,
): Promise<MergedOutput> {
  const parts = new Map(
    [...names.keys()].map((path, index) => [path, { file: `${whole}.js`, suffix: `$${index}` }]),
  );
  const address = `${options.publicPath}/${whole}.js`;
  const standIns = [...names].map(([path, name]) => ({ in: `stand-in:${path}`, out: name }));
  const result = await build({
    ...options,
    // What the main module imports while running stays a file of its own.
    splitting: true,
    entryPoints: [{ in: 'whole:', out: whole }, ...standIns],
    plugins: [orderPlugin(subject, parts, address), createPlugin(subject)],
  });
  const joined = new Map([...parts].map(([path, part]) => [`${names.get(path)}.js`, part]));
  return { ...outputOf(result.outputFiles, result.metafile), joined };
}

function orderPlugin(
  { files, reader }: BuildSubject,
  parts: ReadonlyMap<string, Joined>,
  address: string,
): Plugin {
  const list = (path: string, how: (plain: string, suffixed: string) => string) =>
    writeEntryModule(files, reader, path)
      .exports.map((name) =>
        how(JSON.stringify(name), JSON.stringify(name + parts.get(path)?.suffix)),
      )
      .join(', ');
  return {
    name: 'order',
    setup(inner) {
      inner.onResolve({ filter: /^whole:$/ }, () => ({ path: 'all', namespace: 'whole' }));
      inner.onResolve({ filter: /^stand-in:/ }, ({ path }) => ({
        path: path.slice('stand-in:'.length),
        namespace: 'stand-in',
      }));
      inner.onResolve({ filter: /^entry:/ }, ({ path, namespace }) =>
        namespace === 'whole'
          ? { path: path.slice(entryPrefix.length), namespace: 'entry' }
          : undefined,
      );
      inner.onLoad({ filter: /.*/, namespace: 'whole' }, () => ({
        contents: [...parts.keys()]
          .map((path) => {
            const from = JSON.stringify(entryPrefix + path);
            return `import ${from};\nexport { ${list(path, (own, given) => `${own} as ${given}`)} } from ${from};`;
          })
          .join('\n'),
      }));
      inner.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
        contents: `import "${address}";\nexport { ${list(path, (own, given) => `${given} as ${own}`)} } from "${address}";`,
      }));
    },
  };
}
