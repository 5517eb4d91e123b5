/*
 * esbuild plugin that puts everything that the main module loads into one file, in the order of the
 * main module. The file exports whatever other modules import from it, under names with suffixes.
 * The other modules import a facade that re-exports these names.
 */
import type { Plugin } from 'esbuild';
import { writeEntryModule } from './entry-module.ts';
import { formatPackagePlaceholder } from './placeholders.ts';
import { entryPrefix, facadeEntryNamespace, facadeNamespace } from './package-plugin.ts';
import type { BuildSubject } from './build-subject.ts';
import type { MergedFile } from './import-graph.ts';

/** Entry point of the file with the modules in order. */
export const combinedPrefix = 'whole:';
/** Prefix of the entry points of facades. */
export const facadePrefix = 'stand-in:';

/**
 * Creates the plugin.
 *
 * @param parts File → where its exports are; the first is the main module.
 */
export function createOrderPlugin(
  { files, reader }: BuildSubject,
  parts: ReadonlyMap<string, MergedFile>,
  wholeAddress: string,
): Plugin {
  const from = JSON.stringify(wholeAddress);
  const listExports = (path: string) => {
    const { exports, starExports } = writeEntryModule(files, reader, path);
    const suffix = parts.get(path)?.suffix ?? '';
    const pairs = exports.map((name) => [JSON.stringify(name), JSON.stringify(name + suffix)]);
    return { pairs, starExports };
  };
  const writeCombinedModule = () =>
    [...parts.keys()].map((path) => {
      const entry = JSON.stringify(entryPrefix + path);
      const list = listExports(path).pairs.map(([own, given]) => `${own} as ${given}`);
      return `import ${entry};\nexport { ${list.join(', ')} } from ${entry};`;
    });
  const writeFacade = (path: string) => {
    const { pairs, starExports } = listExports(path);
    const list = pairs.map(([own, given]) => `${given} as ${own}`);
    const lines = starExports.map(
      (star) => `export * from ${JSON.stringify(formatPackagePlaceholder(star))};`,
    );
    return [`import ${from};`, `export { ${list.join(', ')} } from ${from};`, ...lines];
  };
  return {
    name: 'order',
    setup(build) {
      build.onResolve({ filter: /^whole:$/ }, () => ({ path: 'main', namespace: 'whole' }));
      build.onResolve({ filter: /^stand-in:/ }, ({ path }) => ({
        path: path.slice(facadePrefix.length),
        namespace: facadeEntryNamespace,
      }));
      build.onResolve({ filter: /^entry:/ }, ({ path, namespace }) =>
        namespace === 'whole'
          ? { path: path.slice(entryPrefix.length), namespace: 'entry' }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'whole' }, () => ({
        contents: writeCombinedModule().join('\n'),
      }));
      for (const namespace of [facadeNamespace, facadeEntryNamespace]) {
        build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
          contents: writeFacade(path).join('\n'),
        }));
      }
    },
  };
}
