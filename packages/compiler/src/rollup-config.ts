/** Reads which files a rollup.config builds, without running it: literal `input` and `output.file`. */
import { resolvePath } from './resolve-path.ts';
import { blankComments, findValue } from './vite-config.ts';

/** A script that a build would make of the project. */
export interface Bundle {
  /** Path of the built script. */
  file: string;
  /** Path of its first module, perhaps without an extension. */
  entry: string;
  /** Paths of the stylesheet that may be built next to it, with the styles that the modules import. */
  styles: readonly string[];
}

const names = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'].map((ending) => `rollup.config.${ending}`);

/** Maximum number of inputs, and of outputs of each, because the text after each is searched. */
const maxParts = 50;
/** Maximum length of an input that is read, in UTF-16 units. */
const maxInputLength = 2_000;

export function isRollupConfig(path: string): boolean {
  return names.includes(path);
}

/** Reads the bundles of the project's rollup.config; none without one. */
export function readBundles(read: (path: string) => string | undefined): Bundle[] {
  const path = names.find((name) => read(name) !== undefined);
  if (path === undefined) return [];
  const code = blankComments(read(path) ?? '');
  const found = [...code.matchAll(/(?<![\w.])input\s*:/g)].slice(0, maxParts);
  const stylesheets = [...code.matchAll(/["'`](?:[^"'`\n]*\/)?([^"'`\n/]+\.css)["'`]/g)]
    .slice(0, maxParts)
    .map(([, name = '']) => name);
  const inputs = found.map(({ index }) => index);
  return inputs.flatMap((at, number) => {
    // A single configuration may have its output first.
    const part = inputs.length === 1 ? code : code.slice(at, inputs[number + 1]);
    const start = code.slice(at, at + maxInputLength);
    const entry = readPath(path, findValue(start, /(?<![\w.])input\s*:\s*/g)?.text ?? '');
    const outputs = [...part.matchAll(/(?<![\w.])file\s*:\s*(["'`][^"'`\n]*["'`])/g)];
    return outputs.slice(0, maxParts).flatMap(([, written = '']) => {
      const file = readPath(path, written);
      return entry === undefined || file === undefined
        ? []
        : [{ file, entry, styles: findStyles(file, stylesheets) }];
    });
  });
}

/** `'src/main.js'` or `['./src/main.js']` → "src/main.js" */
function readPath(config: string, value: string): string | undefined {
  const [, , text] = /^\[?\s*(["'`])((?:(?!\1)[^\\$\n])+)\1\s*,?\s*\]?$/.exec(value) ?? [];
  return text === undefined ? undefined : resolvePath(config, text);
}

/** Stylesheets in the bundle's folder: of its own name, or as a plug-in's option names them. */
function findStyles(file: string, stylesheets: readonly string[]): string[] {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const own = file.slice(folder.length).replace(/\.\w+$/, '.css');
  return [...new Set([own, ...stylesheets])].map((name) => folder + name);
}
