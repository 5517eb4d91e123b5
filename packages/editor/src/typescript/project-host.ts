import { findChangedRange } from '@vitrine/project';
import ts from 'typescript';
import {
  canImport,
  findEmbeddedFileName,
  extractScripts,
  toProjectPath,
} from './embedded-scripts.ts';
import { ambientDeclarations, createReactAppDeclarations } from './ambient-declarations.ts';
import { listDependencies, readCompilerOptions } from './compiler-options.ts';
import { toTypesPackage } from './package-types.ts';

/** Prefix of internal file names in every project. */
const internalFolder = '/__vitrine/';
/** Folder of the standard library's declarations. */
export const libFolder = `${internalFolder}lib/`;
const environmentPath = `${internalFolder}environment.d.ts`;
const importsPath = `${internalFolder}imports.d.ts`;

/** Root folders that belong to no project. */
const reservedFolders: ReadonlySet<string> = new Set(['node_modules/', '__vitrine/']);

const scripts = /\.(?:[cm]?[jt]s|[jt]sx)$/;
/** Files that affect how the whole project is compiled. */
const configFiles = /\.(?:html?|json)$|^vite\.config\.[cm]?[jt]s$/;

/** A file's text in the version that the language service knows. */
interface VersionedFile {
  readonly version: number;
  readonly snapshot: ts.IScriptSnapshot;
  readonly text: string;
}

/**
 * The file system of the TypeScript language service: a project at the root, its packages'
 * declarations in `/node_modules`, and internal files. It is updated by messages and loads nothing
 * itself.
 */
export class ProjectHost implements ts.LanguageServiceHost {
  readonly #libs: ReadonlyMap<string, string>;
  readonly #project = new Map<string, string>();
  #packages: ReadonlyMap<string, string> = new Map();
  /** Import specifier → true if its declarations are loaded. */
  #packageNames: ReadonlyMap<string, boolean> = new Map();
  /** Path of a markup file → name of its virtual script file. */
  readonly #embedded = new Map<string, string>();
  /** All files by name. Removed with the file. */
  readonly #versionedFiles = new Map<string, VersionedFile>();
  readonly #folders = new Map<string, Set<string>>();
  #options: ts.CompilerOptions = readCompilerOptions(new Map());
  #version = 0;
  #rootNames: string[] | undefined;

  /** @param libs Declarations of the standard library, by file name. */
  constructor(libs: ReadonlyMap<string, string>) {
    this.#libs = libs;
    for (const name of libs.keys()) this.#addToFolder(libFolder + name);
    this.#setFile(environmentPath, ambientDeclarations);
    this.#setFile(importsPath, 'export {};');
  }

  get options(): ts.CompilerOptions {
    return this.#options;
  }

  /** Applies changes of the project's files. */
  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) {
      this.#project.delete(path);
      this.#deleteFile(`/${path}`);
      this.#deleteEmbedded(path);
    }
    for (const [path, text] of changed) {
      this.#project.set(path, text);
      this.#setFile(`/${path}`, text);
      this.#setEmbedded(path, text);
    }
    const names = [...changed.keys(), ...removed];
    if (names.some((path) => configFiles.test(path)))
      this.#options = readCompilerOptions(this.#project);
    if (names.includes('package.json') || names.some((path) => declaresVariables(path)))
      this.#writeImports();
    this.#invalidate();
  }

  /**
   * Replaces the declarations of packages, by path, and says which of the project's packages have
   * any.
   */
  setPackages(files: ReadonlyMap<string, string>, names: ReadonlyMap<string, boolean>): void {
    for (const path of this.#packages.keys()) if (!files.has(path)) this.#deleteFile(path);
    for (const [path, text] of files)
      if (this.#packages.get(path) !== text) this.#setFile(path, text);
    this.#packages = files;
    this.#packageNames = names;
    this.#writeImports();
    this.#invalidate();
  }

  isProjectFile(fileName: string): boolean {
    return this.#project.has(toProjectPath(fileName));
  }

  /** The file name of a project path; for markup that of its virtual script file. */
  fileNameOf(path: string): string {
    return this.#embedded.get(path) ?? `/${path}`;
  }

  /** The text of a project file; undefined if there is none. */
  findText(path: string): string | undefined {
    return this.#project.get(path);
  }

  /** False for markup without a module script. */
  canImport(path: string): boolean {
    return !this.#embedded.has(path) || canImport(path, this.#project.get(path) ?? '');
  }

  getCompilationSettings = (): ts.CompilerOptions => this.#options;
  getCurrentDirectory = (): string => '/';
  getDefaultLibFileName = (options: ts.CompilerOptions): string =>
    libFolder + ts.getDefaultLibFileName(options);
  getProjectVersion = (): string => String(this.#version);
  useCaseSensitiveFileNames = (): boolean => true;
  getNewLine = (): string => '\n';

  getScriptFileNames = (): string[] =>
    (this.#rootNames ??= [
      environmentPath,
      importsPath,
      ...[...this.#project.keys()].filter((path) => scripts.test(path)).map((path) => `/${path}`),
      ...this.#embedded.values(),
    ]);

  getScriptVersion = (fileName: string): string =>
    String(this.#versionedFiles.get(fileName)?.version ?? (this.fileExists(fileName) ? 1 : 0));

  getScriptSnapshot = (fileName: string): ts.IScriptSnapshot | undefined => {
    const text = this.readFile(fileName);
    return (
      this.#versionedFiles.get(fileName)?.snapshot ??
      (text === undefined ? undefined : ts.ScriptSnapshot.fromString(text))
    );
  };

  fileExists = (fileName: string): boolean => this.readFile(fileName) !== undefined;

  readFile = (fileName: string): string | undefined =>
    this.#versionedFiles.get(fileName)?.text ??
    (fileName.startsWith(libFolder) ? this.#libs.get(fileName.slice(libFolder.length)) : undefined);

  directoryExists = (folder: string): boolean => this.#folders.has(withSlash(folder));

  getDirectories = (folder: string): string[] =>
    [...(this.#folders.get(withSlash(folder)) ?? [])]
      .filter((name) => name.endsWith('/') && !(folder === '/' && reservedFolders.has(name)))
      .map((name) => name.slice(0, -1));

  /** Lists only the folder's own files for `./*`, otherwise those of its subfolders too. */
  readDirectory = (
    folder: string,
    extensions: readonly string[] = [''],
    _exclude?: readonly string[],
    include?: readonly string[],
  ): string[] => {
    const prefix = withSlash(folder);
    const isDirect = include?.includes('./*') ?? false;
    return [...this.#versionedFiles.keys()].filter(
      (path) =>
        path.startsWith(prefix) &&
        !(isDirect && path.includes('/', prefix.length)) &&
        extensions.some((ending) => path.endsWith(ending)),
    );
  };

  /**
   * Imports every package that has declarations once, so that its exports can be auto-imported.
   * Every other one is declared as `any`, so that it causes no diagnostics.
   */
  #writeImports(): void {
    const typed = [...this.#packageNames].filter(([, isTyped]) => isTyped).map(([name]) => name);
    const dependencies = listDependencies(this.#project.get('package.json'));
    const untyped = new Set(
      [...dependencies, ...this.#packageNames.keys()].filter((name) => !typed.includes(name)),
    );
    const imports = typed.flatMap((name) => this.#listEntries(name));
    this.#setFile(importsPath, `export {};\n${imports.map(toImport).join('')}`);
    const anyDeclarations = [...untyped].map(
      (name) =>
        `declare module ${JSON.stringify(name)};\ndeclare module ${JSON.stringify(`${name}/*`)};\n`,
    );
    const variables = declareVariables(this.#project);
    const ofReactApp = dependencies.includes('react-scripts') ? createReactAppDeclarations : '';
    this.#setFile(
      environmentPath,
      ambientDeclarations + ofReactApp + variables + anyDeclarations.join(''),
    );
  }

  /**
   * Import specifiers of a package: `react-dom` → `react-dom`, `react-dom/client` and the other
   * named exports of its package.json.
   */
  #listEntries(name: string): string[] {
    const folders = [`/node_modules/${name}`, `/node_modules/${toTypesPackage(name)}`];
    const manifests = folders.map((folder) => this.readFile(`${folder}/package.json`));
    const { config } = ts.parseConfigFileTextToJson(
      'package.json',
      manifests.find((each) => each !== undefined) ?? '{}',
    );
    const fields: unknown = config?.exports;
    const subpaths = typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
    const named = subpaths.filter(
      (each) => /^\.\/[\w/-]+$/.test(each) && !excludedSubpaths.test(each),
    );
    return [name, ...named.slice(0, maxSubpaths).map((each) => name + each.slice(1))];
  }

  #setEmbedded(path: string, text: string): void {
    const name = findEmbeddedFileName(path, text);
    if (this.#embedded.get(path) !== name) this.#deleteEmbedded(path);
    if (name === undefined) return;
    this.#embedded.set(path, name);
    this.#setFile(name, extractScripts(text));
  }

  #deleteEmbedded(path: string): void {
    const name = this.#embedded.get(path);
    if (name === undefined) return;
    this.#embedded.delete(path);
    this.#deleteFile(name);
  }

  #setFile(path: string, text: string): void {
    const before = this.#versionedFiles.get(path);
    if (before?.text === text) return;
    if (!before) this.#addToFolder(path);
    const version = (before?.version ?? 0) + 1;
    this.#versionedFiles.set(path, { version, text, snapshot: new TextSnapshot(text) });
  }

  #deleteFile(path: string): void {
    this.#versionedFiles.delete(path);
    const nameStart = path.lastIndexOf('/') + 1;
    this.#folders.get(path.slice(0, nameStart))?.delete(path.slice(nameStart));
  }

  /** Adds a path to its folder, and the folder to its parent. */
  #addToFolder(path: string): void {
    const nameStart = path.replace(/\/$/, '').lastIndexOf('/') + 1;
    const folder = path.slice(0, nameStart);
    const names = this.#folders.get(folder) ?? new Set();
    this.#folders.set(folder, names.add(path.slice(nameStart)));
    if (folder !== '/' && names.size === 1) this.#addToFolder(folder);
  }

  #invalidate(): void {
    this.#version += 1;
    this.#rootNames = undefined;
  }
}

/** Whether a file's change may change the declared variables of the environment. */
function declaresVariables(path: string): boolean {
  return /^\.env(?:\.|$)/.test(path) || path.endsWith('.d.ts');
}

/** Declares the public variables of the .env files, unless the project declares them itself. */
function declareVariables(files: ReadonlyMap<string, string>): string {
  const texts = [...files].filter(([path]) => declaresVariables(path));
  if (texts.some(([path, text]) => path.endsWith('.d.ts') && text.includes('ImportMetaEnv')))
    return '';
  const names = texts.flatMap(([, text]) =>
    Array.from(text.matchAll(/^[ \t]*(?:export[ \t]+)?(VITE_\w+)[ \t]*=/gm), ([, name]) => name),
  );
  const members = [...new Set(names)].map((name) => `readonly ${name}: string;`);
  return `interface ImportMetaEnv { ${members.join(' ')} }\n`;
}

/**
 * Subpaths not imported beforehand: variants of the whole package, compiler internals, and code for
 * other platforms.
 */
const excludedSubpaths = /canary|experimental|runtime|internal|server|\/package$/;
/** Subpaths of a package that are imported beforehand at most. */
const maxSubpaths = 12;

function toImport(specifier: string): string {
  return `import ${JSON.stringify(specifier)};\n`;
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

/**
 * A snapshot that reports what has changed since an earlier one, so that only that is parsed again.
 */
class TextSnapshot implements ts.IScriptSnapshot {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  getText(start: number, end: number): string {
    return this.#text.slice(start, end);
  }

  getLength(): number {
    return this.#text.length;
  }

  getChangeRange(earlier: ts.IScriptSnapshot): ts.TextChangeRange {
    const before = earlier.getText(0, earlier.getLength());
    const { start, end, newEnd } = findChangedRange(before, this.#text);
    return { span: { start, length: end - start }, newLength: newEnd - start };
  }
}
