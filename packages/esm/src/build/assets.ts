/** Modules that stand for files which are not script: each exports what bundlers let them export. */
import type { PackageFiles } from './package-files.ts';

/** An image, a font, a text: its address. */
export function writeAssetModule(path: string): string {
  return `export default new URL("vitrine-base:/-/${encodeURI(path)}", import.meta.url).href;\n`;
}

/**
 * WebAssembly as a module (the proposal that wasm-bindgen's bundler target is written for): its
 * imports are imported, its exports exported. The file is only looked at here, not run.
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
