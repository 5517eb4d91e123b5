import { Facet } from '@codemirror/state';
import { extension } from '@vitrine/project';

/** The path of the file that an editor state is of. */
export const filePath = Facet.define<string, string>({ combine: ([path = '']) => path });

/** True where a language service answers for scripts, so that what guesses is quiet. */
export const understood = Facet.define<boolean, boolean>({
  combine: (values) => values.includes(true),
});

const scripts: ReadonlySet<string> = new Set([
  'js',
  'mjs',
  'cjs',
  'jsx',
  'ts',
  'mts',
  'cts',
  'tsx',
]);

/** True for the files that TypeScript's language service reads. */
export function isScript(path: string): boolean {
  return scripts.has(extension(path));
}
