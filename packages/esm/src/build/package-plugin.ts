/*
 * esbuild plugin that resolves every path and loads every file of a package, from the list of the
 * package's own files. esbuild itself opens nothing (no tsconfig.json, no package.json, no source map
 * that a comment names). Imports of other packages become placeholders.
 */
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { writeEntryModule } from './entry-module.ts';
import type { PackageFiles } from './package-files.ts';
import { formatPackagePlaceholder } from './placeholders.ts';
import { prepareScript } from './prepare-script.ts';
import { resolveSpecifier, type Resolved } from './resolve-specifier.ts';
import { createSideEffectTest } from './side-effects.ts';
import { writeStyleModule } from './styles.ts';
import { compileSvelte, isSvelte } from './svelte-files.ts';
import { scriptElementModule, workerModule } from './worker-module.ts';
import type { BuildSubject } from './build-subject.ts';

const loaders: Readonly<Record<string, Loader>> = {
  '.json': 'json',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
};

/** Prefix of an entry point, so that esbuild doesn't look for a file of that name on disk. */
export const entryPrefix = 'entry:';
/** Namespace of a facade that other modules import. */
export const facadeNamespace = 'stand-in';
/** Namespace of a facade that is served at the file's URL. */
export const facadeEntryNamespace = 'stand-in-entry';
/** Namespace of a facade for `import()` of a module with external star exports. */
export const dynamicFacadeNamespace = 'lazy';
const namesPrefix = 'names:';

/** Creates the plugin that resolves and loads the files of a package. */
export function createPackagePlugin(subject: BuildSubject): Plugin {
  const sideEffects = createSideEffectTest(subject.files.json.sideEffects);
  return {
    name: 'package',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolve(subject, sideEffects, args));
      build.onLoad({ filter: /.*/, namespace: 'file' }, rejectLoad);
      build.onLoad({ filter: /.*/, namespace: 'entry' }, (args) => ({
        contents: writeEntryModule(subject.files, subject.reader, args.path).text,
      }));
      build.onLoad({ filter: /.*/, namespace: dynamicFacadeNamespace }, (args) => ({
        contents: writeDynamicFacade(subject, args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'package' }, (args) => load(subject, args.path));
      build.onLoad({ filter: /.*/, namespace: 'outside' }, (args) => ({
        contents: writeRequireModule(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'names' }, (args) => ({
        contents: writeNamesModule(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'missing' }, (args) => ({
        contents: writeMissingModule(args.path),
      }));
      build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({
        contents: 'module.exports = {};',
      }));
      build.onLoad({ filter: /.*/, namespace: 'own' }, ({ path }) => ({
        contents: path === 'worker' ? workerModule : scriptElementModule,
      }));
    },
  };
}

/** Rejects loading from disk. The error must not contain paths of this machine. */
function rejectLoad(): never {
  throw new Error('The builder doesn’t read files from disk');
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
  if (args.namespace === dynamicFacadeNamespace)
    return resolveFile(subject, sideEffects, args, args.path);
  const importer = args.namespace === 'package' ? args.importer : 'package.json';
  const how =
    args.kind === 'require-call' || args.kind === 'require-resolve' ? 'require' : 'import';
  const target = resolveSpecifier(subject.files, subject.mode, importer, args.path, how);
  return toResolveResult(subject, sideEffects, args, target);
}

function toResolveResult(
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
        : { path: formatPackagePlaceholder(target.specifier), external: true };
    case 'url':
      return { path: target.url, external: true };
    case 'empty':
      return { path: 'empty', namespace: 'empty' };
    case 'missing':
      subject.warnings.add(`${args.importer} imports ${args.path}, which isn’t in the package`);
      return { path: args.path, namespace: 'missing' };
  }
}

function resolveFile(
  subject: BuildSubject,
  sideEffects: (path: string) => boolean,
  args: OnResolveArgs,
  path: string,
): OnResolveResult {
  if (args.kind === 'dynamic-import' && needsDynamicFacade(subject, args.importer, path)) {
    return { path, namespace: dynamicFacadeNamespace };
  }
  if (subject.inOrder.has(path) && args.kind !== 'require-call') {
    if (args.kind === 'dynamic-import') return { path, namespace: facadeEntryNamespace };
    const isInside = args.namespace === 'package' && subject.inOrder.has(args.importer);
    if (!isInside) return { path, namespace: facadeNamespace };
  }
  const elsewhere = subject.builtElsewhere.get(path);
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
 * Whether a dynamic import needs a facade as its entry. esbuild makes an entry of every dynamically
 * imported module. In an entry, it leaves an external `export *` in place: inside of a function if
 * another module requires the entry, and invisible to modules that import it. It also can't make an
 * entry of the importing module itself. For these modules the facade becomes the entry instead (its
 * star exports are added by write-output.ts).
 */
function needsDynamicFacade(
  { reader, builtElsewhere }: BuildSubject,
  importer: string,
  path: string,
): boolean {
  if (builtElsewhere.has(path) || !/\.[cm]?[jt]sx?$/.test(path) || reader.isCommonjs(path))
    return false;
  return importer === path || reader.readExports(path).starExports.size > 0;
}

function writeDynamicFacade({ reader }: BuildSubject, path: string): string {
  const from = JSON.stringify(path);
  const whole = reader.readExports(path).names.has('default')
    ? `export { default } from ${from};\n`
    : '';
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
  if (isSvelte(path, subject.svelte))
    return compileSvelte(files.readText(path), path, subject.svelte);
  const contents = prepareScript(subject, path);
  return { contents, loader: loaders[extension] ?? 'jsx' };
}

/**
 * CommonJS module for `require('other')`. The other package is loaded beforehand, like all imports.
 * This code runs when `require` is called, so that a missing optional package throws there.
 */
function writeRequireModule(specifier: string): string {
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

/** ES module that CommonJS can require, with the namespace of another package. */
function writeNamesModule(specifier: string): string {
  const from = specifier.startsWith('vitrine-')
    ? specifier
    : formatPackagePlaceholder(specifier, 'require');
  return `import * as names from ${JSON.stringify(from)};\nexport { names };\n`;
}

function writeMissingModule(specifier: string): string {
  const message = JSON.stringify(`Cannot find module '${specifier}'`);
  return `throw Object.assign(new Error(${message}), { code: "MODULE_NOT_FOUND" });\nmodule.exports = {};`;
}

/** Module of an image, a font or a text file: exports its URL. */
function writeAssetModule(path: string): string {
  return `export default new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href;\n`;
}

/**
 * Module of a WebAssembly file, following the WebAssembly/ES Module Integration proposal that
 * wasm-bindgen's bundler target is written for: its imports are imported and its exports exported.
 * The file is only compiled here, not run.
 */
function writeWasmModule(files: PackageFiles, path: string): string {
  const module = new WebAssembly.Module(files.readBytes(path));
  const sources = [...new Set(WebAssembly.Module.imports(module).map((item) => item.module))];
  const names = WebAssembly.Module.exports(module).map((item) => item.name);
  const lines = [
    ...sources.map((source, index) => `import * as source${index} from ${JSON.stringify(source)};`),
    `const address = new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url);`,
    `const imports = { ${sources.map((source, index) => `${JSON.stringify(source)}: source${index}`).join(', ')} };`,
    'const { instance } = await WebAssembly.instantiateStreaming(fetch(address), imports);',
    ...names.map(
      (name, index) => `const export${index} = instance.exports[${JSON.stringify(name)}];`,
    ),
    `export { ${names.map((name, index) => `export${index} as ${JSON.stringify(name)}`).join(', ')} };`,
    names.includes('default') ? '' : 'export default address.href;',
  ];
  return lines.join('\n');
}
