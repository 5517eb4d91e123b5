/**
 * Makes esbuild put what the main module loads into one file, in the order of the main module. All
 * that others import of it is exported there under names of its own; they see a module that hands
 * these on (a stand-in).
 */
import type { Plugin } from 'esbuild';
import { writeEntryModule } from './entry-module.ts';
import type { Joined } from './merge-chunks.ts';
import { packagePlaceholder } from './placeholders.ts';
import {
  entryPrefix,
  standInEntryNamespace,
  standInNamespace,
  type BuildSubject,
} from './plugin.ts';

/** The entry that becomes the one file. */
export const wholePrefix = 'whole:';
export const standInPrefix = 'stand-in:';

/** `parts` says where each file's exports are; its first is the main module. */
export function createOrderPlugin(
  { files, reader }: BuildSubject,
  parts: ReadonlyMap<string, Joined>,
  wholeAddress: string,
): Plugin {
  const from = JSON.stringify(wholeAddress);
  const describe = (path: string) => {
    const { exports, stars } = writeEntryModule(files, reader, path);
    const suffix = parts.get(path)?.suffix ?? '';
    const pairs = exports.map((name) => [JSON.stringify(name), JSON.stringify(name + suffix)]);
    return { pairs, stars };
  };
  const writeWhole = () =>
    [...parts.keys()].map((path) => {
      const entry = JSON.stringify(entryPrefix + path);
      const list = describe(path).pairs.map(([own, given]) => `${own} as ${given}`);
      return `import ${entry};\nexport { ${list.join(', ')} } from ${entry};`;
    });
  const writeStandIn = (path: string) => {
    const { pairs, stars } = describe(path);
    const list = pairs.map(([own, given]) => `${given} as ${own}`);
    const lines = stars.map((star) => `export * from ${JSON.stringify(packagePlaceholder(star))};`);
    return [`import ${from};`, `export { ${list.join(', ')} } from ${from};`, ...lines];
  };
  return {
    name: 'order',
    setup(build) {
      build.onResolve({ filter: /^whole:$/ }, () => ({ path: 'main', namespace: 'whole' }));
      build.onResolve({ filter: /^stand-in:/ }, ({ path }) => ({
        path: path.slice(standInPrefix.length),
        namespace: standInEntryNamespace,
      }));
      build.onResolve({ filter: /^entry:/ }, ({ path, namespace }) =>
        namespace === 'whole'
          ? { path: path.slice(entryPrefix.length), namespace: 'entry' }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'whole' }, () => ({
        contents: writeWhole().join('\n'),
      }));
      for (const namespace of [standInNamespace, standInEntryNamespace]) {
        build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
          contents: writeStandIn(path).join('\n'),
        }));
      }
    },
  };
}
