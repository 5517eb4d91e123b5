/** Modules for files that aren't scripts. Each exports what bundlers conventionally export. */
import type { PackageFiles } from './package-files.ts';

/** Module of an image, a font or a text file: exports its URL. */
export function writeAssetModule(path: string): string {
  return `export default new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href;\n`;
}

/**
 * Module of a WebAssembly file, following the WebAssembly/ES Module Integration proposal that
 * wasm-bindgen's bundler target is written for: its imports are imported and its exports exported.
 * The file is only compiled here, not run.
 */
export function writeWasmModule(files: PackageFiles, path: string): string {
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
