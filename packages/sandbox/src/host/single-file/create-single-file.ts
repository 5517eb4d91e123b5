/** Writes a project as one HTML file; see single-file.ts. */
import {
  createFileUrl,
  inlineProject,
  isPagePath,
  type InlinedProject,
  type OutputFile,
} from '@vitrine/compiler';
import { VitrineError, type AssetFile, type ProjectFiles } from '@vitrine/project';
import {
  openBinary,
  packageScheme,
  projectElement,
  runElement,
  writeJsonElement,
  type SingleFileContent,
  type SingleFileRun,
  type SingleFileSource,
} from '../../single-file.ts';
import { CompileQueue } from '../compile-queue.ts';
import { listPages } from '../../file-urls.ts';
import { findEntryPage, ModuleStore } from '../module-store.ts';
import { createProjectCompiler } from '../project-compiler.ts';
import { listOutputs } from '../srcdoc-files.ts';
import { collectPackageModules, findPackagePaths, type PackageModules } from './package-modules.ts';

/** What is being done, and how much of it is done. */
export interface SingleFileProgress {
  readonly step: 'compiling' | 'packages' | 'writing';
  readonly done: number;
  readonly total: number;
}

interface SingleFileOptions {
  readonly title: string;
  readonly files: ProjectFiles;
  readonly loadAsset: (asset: AssetFile) => Promise<Blob>;
  /** See `PackageOptions` in the compiler. */
  readonly fullExportUrls: ReadonlySet<string>;
  /** Loads the licenses of the project's packages, as text. */
  readonly loadLicenses: (signal: AbortSignal) => Promise<string>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SingleFileProgress) => void;
}

export interface SingleFile {
  readonly html: Blob;
  /** URL paths of packages' modules that couldn't be included. */
  readonly missing: readonly string[];
}

/**
 * Writes a project as one HTML file. Rejects with the signal's reason, or a `VitrineError`:
 * `export_no_page`, `export_not_compiled`, and those of `collectPackageModules`.
 */
export async function createSingleFile(options: SingleFileOptions): Promise<SingleFile> {
  const { files, signal, onProgress } = options;
  onProgress({ step: 'compiling', done: 0, total: files.size });
  const { outputs, bytes, entry } = await compileProject(options);
  signal.throwIfAborted();
  const pages = outputs.filter(({ path }) => isPagePath(path)).map(({ path }) => path);
  const used = outputs.flatMap(({ code, text, module, isAsset }) =>
    isAsset ? [] : findPackagePaths(`${code ?? text}\n${module ?? ''}`),
  );
  const packages = await collectPackageModules(used, {
    origin: location.origin,
    signal,
    onProgress: (done, total) => onProgress({ step: 'packages', done, total }),
  });
  const licenses = used.length === 0 ? '' : await options.loadLicenses(signal);
  const inlined: (readonly [path: string, page: InlinedProject])[] = [];
  const runnable = outputs.map(withPackageFiles);
  for (const path of pages) {
    onProgress({ step: 'writing', done: inlined.length, total: pages.length });
    inlined.push([path, inlineProject(runnable, path, listModules(packages))]);
    // Lets the page respond, and the user cancel.
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const html = await writeFile({ ...options, bytes, entry, inlined, packages, licenses });
  return { html, missing: packages.missing };
}

async function compileProject({ files, loadAsset, fullExportUrls }: SingleFileOptions) {
  const moduleStore = new ModuleStore(files);
  // Specifiers of packages get a scheme instead of this instance's origin.
  const compiler = createProjectCompiler(files, { origin: packageScheme, fullExportUrls }, false);
  const queue = new CompileQueue({
    moduleStore,
    compiler,
    loadAsset,
    onDiagnostics: () => undefined,
    onCommitted: () => undefined,
  });
  try {
    await queue.prepare();
    if (moduleStore.read(findEntry(moduleStore)) === undefined)
      throw new VitrineError('export_no_page', 'no page');
    if (!queue.isPrepared) throw new VitrineError('export_not_compiled', 'the compiler failed');
  } finally {
    queue.close();
  }
  const bytes = (path: string) => moduleStore.readBytes(path);
  return {
    outputs: listOutputs(moduleStore).map(withoutSourceMap),
    bytes,
    entry: findEntry(moduleStore),
  };
}

/** The entry page, or the first of several pages if none is at the root. */
function findEntry(moduleStore: ModuleStore): string {
  const entry = findEntryPage(moduleStore);
  const isMissing = moduleStore.read(entry) === undefined;
  return (isMissing ? listPages([...moduleStore.paths])[0] : undefined) ?? entry;
}

function withoutSourceMap(file: OutputFile): OutputFile {
  const code = file.code?.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=data:[^\n]*\n?$/, '\n');
  return { ...file, code: code ?? null };
}

/** Makes the elements of a page load the files of packages that the HTML file contains. */
function withPackageFiles(file: OutputFile): OutputFile {
  const { path, code } = file;
  if (code === null || !isPagePath(path)) return file;
  const refer = (_: string, name: string, url: string) => `${name}="${createFileUrl(url)}"`;
  return { ...file, code: code.replace(packageAttribute, refer) };
}

const packageAttribute = new RegExp(`\\b(src|href)="${packageScheme}(/npm/[^"]+)"`, 'g');

function* listModules({ files }: PackageModules): Generator<[specifier: string, path: string]> {
  for (const { path, content } of files)
    if (typeof content === 'string') yield [packageScheme + path, path];
}

interface Written extends SingleFileOptions {
  /** Bytes of an asset. */
  readonly bytes: (path: string) => Blob | undefined;
  readonly entry: string;
  readonly inlined: readonly (readonly [path: string, page: InlinedProject])[];
  readonly packages: PackageModules;
  /** Licenses of the packages, '' if there are none. */
  readonly licenses: string;
}

async function writeFile(project: Written): Promise<Blob> {
  const { title, files, bytes, entry, inlined, packages, licenses, signal } = project;
  const binaries: Blob[] = [];
  const addBinary = (blob: Blob): SingleFileContent => binaries.push(blob) - 1;
  const source: SingleFileSource = {
    version: 1,
    title,
    files: Array.from(files, ([path, file]) => [
      path,
      file.kind === 'text' ? file.text : addBinary(bytes(path) ?? new Blob()),
    ]),
  };
  const run: SingleFileRun = {
    entry,
    pages: inlined.map(([path, { html, mapEnd }]) => [path, html, mapEnd]),
    files: [
      ...listFiles(files, inlined),
      ...packages.files
        .toSorted(
          (a, b) => Number(typeof a.content === 'string') - Number(typeof b.content === 'string'),
        )
        .map(({ path, content, mediaType }): SingleFileRun['files'][number] => [
          path,
          typeof content === 'string' ? content : addBinary(content),
          mediaType,
        ]),
    ],
  };
  const parts: BlobPart[] = [
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n`,
    `<meta name="generator" content="Vitrine">\n`,
    `<title>${escapeHtml(title)}</title>\n`,
    writeJsonElement(projectElement, source),
  ];
  if (licenses !== '')
    parts.push(`<script type="text/plain" id="licenses">\n${escapeHtml(licenses)}\n</script>\n`);
  for (const [number, binary] of binaries.entries()) {
    signal.throwIfAborted();
    // A blob each, so that the browser can move them out of memory.
    parts.push(new Blob([openBinary(number), await encodeBase64(binary), '</script>\n']));
  }
  parts.push(
    writeJsonElement(runElement, run),
    `<script>${await loadRunScript(signal)}</script>\n`,
    `</head>\n<body><noscript>This page needs JavaScript.</noscript></body>\n</html>\n`,
  );
  return new Blob(parts, { type: 'text/html' });
}

/** The project's files as they run on any page, in an order in which each refers to earlier ones. */
function* listFiles(
  files: ProjectFiles,
  inlined: Written['inlined'],
): Generator<SingleFileRun['files'][number]> {
  const seen = new Set<string>();
  // Pages differ in the modules that their inline scripts import.
  for (const [, page] of inlined)
    for (const { path, text, mediaType, isAsset } of page.files) {
      if (seen.has(path)) continue;
      seen.add(path);
      const own = files.get(path);
      const isOwn = isAsset || (own?.kind === 'text' && own.text === text);
      yield [path, isOwn ? null : text, mediaType];
    }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The script that runs the file. */
async function loadRunScript(signal: AbortSignal): Promise<string> {
  // The URL has no hash, so a cached script may belong to an older server.
  const response = await fetch('/__vitrine/single-file.js', { signal, cache: 'reload' });
  if (!response.ok) throw new VitrineError('server_unreachable', `status ${response.status}`);
  return response.text();
}

function encodeBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('the blob can’t be read'));
    reader.onload = () => {
      const { result } = reader;
      resolve(typeof result === 'string' ? result.replace(/^[^,]*,?/, '') : '');
    };
    reader.readAsDataURL(blob);
  });
}
