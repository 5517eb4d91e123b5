/**
 * esbuild's eyes and ears: every path is resolved and every file read here, from the list of the
 * package's own files, so that esbuild itself opens nothing (no tsconfig.json, no package.json, no
 * source map that a comment names). What leaves the package becomes a placeholder.
 */
import type { PackageMode } from '@vitrine/project';
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { writeAssetModule, writeWasmModule } from './assets.ts';
import { writeEntryModule } from './entry-module.ts';
import type { ModuleReader } from './module-format.ts';
import type { PackageFiles } from './package-files.ts';
import { packagePlaceholder } from './placeholders.ts';
import { prepareScript } from './prepare-script.ts';
import { resolveSpecifier, type Resolved } from './resolve-specifier.ts';
import { hasSideEffects } from './side-effects.ts';
import { writeStyleModule } from './styles.ts';
import { compileSvelte, isSvelte } from './svelte.ts';
import { scriptModule, workerModule } from './worker-module.ts';

export interface BuildSubject {
  readonly files: PackageFiles;
  readonly reader: ModuleReader;
  readonly mode: PackageMode;
  /** File → subpath under which another build serves it: imported from there, not built again. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Files that stand in one file in the order of the main module: others see stand-ins of them. */
  readonly inOrder: ReadonlySet<string>;
  /** Filled while building: what a person should know of the package. */
  readonly warnings: Set<string>;
}

const loaders: Readonly<Record<string, Loader>> = {
  '.json': 'json',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
};

/** Begins an entry's name, so that esbuild does not look on the disk whether it is a file. */
export const entryPrefix = 'entry:';
/** A stand-in as other modules import it; the same as it is served at the file's address. */
export const standInNamespace = 'stand-in';
export const standInEntryNamespace = 'stand-in-entry';
/** What `import()` of a module with foreign stars loads. */
export const lazyNamespace = 'lazy';
const namesPrefix = 'names:';

export function createPlugin(subject: BuildSubject): Plugin {
  const sideEffects = hasSideEffects(subject.files.json.sideEffects);
  return {
    name: 'package',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolve(subject, sideEffects, args));
      build.onLoad({ filter: /.*/, namespace: 'file' }, refuse);
      build.onLoad({ filter: /.*/, namespace: 'entry' }, (args) => ({
        contents: writeEntryModule(subject.files, subject.reader, args.path).text,
      }));
      build.onLoad({ filter: /.*/, namespace: lazyNamespace }, (args) => ({
        contents: handOn(subject, args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'package' }, (args) => load(subject, args.path));
      build.onLoad({ filter: /.*/, namespace: 'outside' }, (args) => ({
        contents: requireOutside(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'names' }, (args) => ({
        contents: importNames(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'missing' }, (args) => ({
        contents: throwMissing(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({
        contents: 'module.exports = {};',
      }));
      build.onLoad({ filter: /.*/, namespace: 'own' }, ({ path }) => ({
        contents: path === 'worker' ? workerModule : scriptModule,
      }));
    },
  };
}

/** No name of a file of this machine stands in what a person is told. */
function refuse(): never {
  throw new Error('The builder reads no files of this machine');
}

function resolve(
  subject: BuildSubject,
  sideEffects: (path: string) => boolean,
  args: OnResolveArgs,
): OnResolveResult {
  if (args.path.startsWith(namesPrefix) && args.namespace === 'outside') {
    return { path: args.path.slice(namesPrefix.length), namespace: 'names' };
  }
  if (args.path.startsWith('vitrine-')) return { path: args.path, external: true };
  if (args.path === 'vitrine:worker' || args.path === 'vitrine:script') {
    return { path: args.path.slice('vitrine:'.length), namespace: 'own' };
  }
  if (args.kind === 'entry-point') {
    return { path: args.path.slice(entryPrefix.length), namespace: 'entry' };
  }
  if (args.namespace === 'entry') {
    const isFile = subject.files.sizes.has(args.path);
    if (isFile) return { path: args.path, namespace: 'package' };
  }
  if (args.namespace === lazyNamespace) return resolveFile(subject, sideEffects, args, args.path);
  const importer = args.namespace === 'package' ? args.importer : 'package.json';
  const how =
    args.kind === 'require-call' || args.kind === 'require-resolve' ? 'require' : 'import';
  const target = resolveSpecifier(subject.files, subject.mode, importer, args.path, how);
  return toEsbuild(subject, sideEffects, args, target);
}

function toEsbuild(
  subject: BuildSubject,
  sideEffects: (path: string) => boolean,
  args: OnResolveArgs,
  target: Resolved,
): OnResolveResult {
  switch (target.kind) {
    case 'file':
      return resolveFile(subject, sideEffects, args, target.path);
    case 'package':
      return args.kind === 'require-call'
        ? { path: target.specifier, namespace: 'outside' }
        : { path: packagePlaceholder(target.specifier), external: true };
    case 'address':
      return { path: target.address, external: true };
    case 'empty':
      return { path: 'empty', namespace: 'empty' };
    case 'missing':
      subject.warnings.add(
        `${args.importer} imports ${args.path}, which the package does not have`,
      );
      return { path: args.path, namespace: 'missing' };
  }
}

function resolveFile(
  subject: BuildSubject,
  sideEffects: (path: string) => boolean,
  args: OnResolveArgs,
  path: string,
): OnResolveResult {
  if (args.kind === 'dynamic-import' && isLoadedApart(subject, args.importer, path)) {
    return { path, namespace: lazyNamespace };
  }
  if (subject.inOrder.has(path) && args.kind !== 'require-call') {
    if (args.kind === 'dynamic-import') return { path, namespace: standInEntryNamespace };
    const isInside = args.namespace === 'package' && subject.inOrder.has(args.importer);
    if (!isInside) return { path, namespace: standInNamespace };
  }
  const elsewhere = subject.elsewhere.get(path);
  if (elsewhere === undefined || args.namespace === 'entry') {
    return { path, namespace: 'package', sideEffects: sideEffects(path) };
  }
  const specifier = elsewhere === '.' ? '' : elsewhere.slice(1);
  const own = `vitrine-base:${specifier}`;
  return args.kind === 'require-call'
    ? { path: own, namespace: 'outside' }
    : { path: own, external: true };
}

/**
 * esbuild takes a module that is imported dynamically for an entry, whose foreign `export *` it leaves
 * as it is: inside of a function, where another module requires this one, and unseen by modules that
 * import this one. Nor can it make an entry of the very module that imports. So another module becomes
 * the entry (its stars: write-output.ts).
 */
function isLoadedApart(
  { reader, elsewhere }: BuildSubject,
  importer: string,
  path: string,
): boolean {
  if (elsewhere.has(path) || !/\.[cm]?[jt]sx?$/.test(path) || reader.isCommonjs(path)) return false;
  return importer === path || reader.readShape(path).stars.size > 0;
}

function handOn({ reader }: BuildSubject, path: string): string {
  const from = JSON.stringify(path);
  const whole = reader.readShape(path).names.has('default') ? `export { default } from ${from};\n` : '';
  return `export * from ${from};\n${whole}`;
}

function load(subject: BuildSubject, path: string): Promise<OnLoadResult> | OnLoadResult {
  const extension = /\.[^./]+$/.exec(path)?.[0] ?? '';
  const { files } = subject;
  if (extension === '.css') return writeStyleModule(subject, path);
  if (extension === '.wasm') return { contents: writeWasmModule(files, path) };
  if (extension === '.json') return { contents: files.readText(path), loader: 'json' };
  if (!/^\.(?:[cm]?[jt]s|[jt]sx|flow|es6?|svelte)$/.test(extension) && extension !== '') {
    return { contents: writeAssetModule(path) };
  }
  if (isSvelte(path)) return compileSvelte(files.readText(path), path);
  const contents = prepareScript(subject, path);
  return { contents, loader: loaders[extension] ?? 'jsx' };
}

/**
 * `require('other')` in CommonJS. The other module is loaded beforehand, as all imports are; what
 * stands here runs where `require` is called, so that a missing optional package throws there.
 */
function requireOutside(specifier: string): string {
  const builtin = specifier.startsWith('node:');
  return `
const { names } = require(${JSON.stringify(`${namesPrefix}${specifier}`)});
if ("vitrine: absent" in names) {
  throw Object.assign(new Error(${JSON.stringify(`Cannot find module '${specifier}'`)}), { code: "MODULE_NOT_FOUND" });
}
if ("module.exports" in names) module.exports = names["module.exports"];
${builtin ? 'else if ("default" in names) module.exports = names.default;' : ''}
else {
  Object.defineProperty(exports, "__esModule", { value: true });
  for (const name of Object.keys(names)) {
    Object.defineProperty(exports, name, { enumerable: true, get: () => names[name] });
  }
}
`;
}

/** The namespace of a foreign module, as an ES module that CommonJS may require. */
function importNames(specifier: string): string {
  const from = specifier.startsWith('vitrine-')
    ? specifier
    : packagePlaceholder(specifier, 'require');
  return `import * as names from ${JSON.stringify(from)};\nexport { names };\n`;
}

function throwMissing(specifier: string): string {
  const message = JSON.stringify(`Cannot find module '${specifier}'`);
  return `throw Object.assign(new Error(${message}), { code: "MODULE_NOT_FOUND" });\nmodule.exports = {};`;
}
