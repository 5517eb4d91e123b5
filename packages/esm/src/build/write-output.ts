/** Writes the modules of a build, their source maps and the manifest. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builderVersion } from '../lockfile/resolution-hash.ts';
import type { Entries } from './entries.ts';
import { writeEntryModule, type EntryModule } from './entry-module.ts';
import { parseReexports, type Reexports } from './reexports.ts';
import { removeUnusedStarExports } from './unused-star-exports.ts';
import type { BuildManifest, BuildRequest, BuiltEntry, BuiltModule } from './manifest.ts';
import type { MergedOutput } from './merge-chunks.ts';
import {
  findPlaceholders,
  findStylePlaceholders,
  formatPackagePlaceholder,
} from './placeholders.ts';
import { resolveSpecifier } from './resolve-specifier.ts';
import { writeStyleSheet } from './styles.ts';
import type { BuildSubject } from './build-subject.ts';
import {
  buildImportGraph,
  listInLoadOrder,
  type ImportGraph,
  type MergedFile,
} from './import-graph.ts';

export interface BundledOutput extends MergedOutput {
  /**
   * Output file of a dynamic import's facade → file of the package whose external star exports it
   * needs.
   */
  readonly dynamicFacades: ReadonlyMap<string, string>;
}

/** Writes a build into the folder `output`. `names` maps files of the package to output modules. */
export async function writeOutput(
  output: string,
  subject: BuildSubject,
  request: BuildRequest,
  entries: Entries,
  names: ReadonlyMap<string, string>,
  bundled: BundledOutput,
): Promise<void> {
  const texts = new Map(bundled.texts);
  const graph = buildImportGraph(bundled.metafile);
  const described = new Map<string, BuiltEntry>();
  for (const [path, name] of names) {
    const file = `${name}.js`;
    const module = writeEntryModule(subject.files, subject.reader, path);
    texts.set(file, addStarExports(texts.get(file) ?? '', subject, path, module.starExports));
    const exports = bundled.metafile.outputs[file]?.exports ?? [];
    const part = bundled.mergedFiles.get(file);
    const handedOn = part
      ? describeReexports(part, exports)
      : parseReexports(texts.get(file) ?? '');
    const entry = { ...describeEntry(file, module, exports, graph), ...(handedOn && { handedOn }) };
    described.set(path, path.endsWith('.css') ? { ...entry, style: `${name}.style` } : entry);
    if (path.endsWith('.css')) texts.set(`${name}.style`, await writeStyleSheet(subject, path));
  }
  for (const [file, path] of bundled.dynamicFacades) {
    const { starExports } = subject.reader.readExports(path);
    texts.set(file, addStarExports(texts.get(file) ?? '', subject, path, [...starExports]));
  }
  const modules = writeFiles(output, texts);
  const { name, version, mode } = request;
  const manifest: BuildManifest = {
    generation: builderVersion,
    name,
    version,
    mode,
    entries: Object.fromEntries(
      [...entries].flatMap(([subpath, path]) => {
        const entry = described.get(path);
        return entry ? [[subpath, entry]] : [];
      }),
    ),
    modules,
    warnings: [...subject.warnings],
  };
  writeFileSync(join(output, 'manifest.json'), JSON.stringify(manifest));
}

/**
 * Adds external `export *` statements, which esbuild loses when it splits, before the source map
 * comment.
 */
function addStarExports(
  text: string,
  subject: BuildSubject,
  path: string,
  starExports: readonly string[],
): string {
  const lines = starExports.flatMap((star) => {
    const target = resolveSpecifier(subject.files, subject.mode, path, star, 'import');
    if (target.kind !== 'package') return [];
    return [`export * from ${JSON.stringify(formatPackagePlaceholder(target.specifier))};\n`];
  });
  const missing = lines.filter((line) => !text.includes(line)).join('');
  const at = text.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? text + missing : text.slice(0, at) + missing + text.slice(at);
}

function describeReexports({ file, suffix }: MergedFile, exports: readonly string[]): Reexports {
  return { file, names: Object.fromEntries(exports.map((name) => [name, name + suffix])) };
}

function describeEntry(
  file: string,
  { commonjs, hidesNames, starExports }: EntryModule,
  exports: readonly string[],
  graph: ImportGraph,
): BuiltEntry {
  const names = exports.filter((name) => name !== 'default' && name !== 'module.exports');
  const hasDefault = exports.includes('default');
  const chunks = listInLoadOrder(graph, file).slice(0, -1);
  const hasStars = starExports.length > 0;
  return { file, commonjs, hasDefault, names, hidesNames, hasStars, chunks };
}

function writeFiles(output: string, texts: ReadonlyMap<string, string>) {
  const modules: Record<string, BuiltModule> = {};
  for (const [file, whole] of texts) {
    const isMap = file.endsWith('.map');
    const isStyle = file.endsWith('.style');
    const text = isMap ? renameSources(whole) : isStyle ? whole : removeUnusedStarExports(whole);
    mkdirSync(dirname(join(output, file)), { recursive: true });
    writeFileSync(join(output, file), text);
    if (isMap) continue;
    const placeholders = isStyle ? findStylePlaceholders(text) : findPlaceholders(text);
    modules[file] = { bytes: Buffer.byteLength(text), placeholders };
  }
  return modules;
}

/**
 * Names the sources of a source map as files of the package, so that a debugger shows them as
 * published.
 */
function renameSources(text: string): string {
  return text.replaceAll(/"(?:\.\.\/)*package:/g, '"');
}
