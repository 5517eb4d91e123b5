import { findDifference } from '@vitrine/project';
import ts from 'typescript';
import { canImport, embeddedName, keepScripts, projectPath } from './embedded-scripts.ts';
import { environment } from './environment.ts';
import { listWishes, readOptions } from './options.ts';
import { typesName } from './package-types.ts';

/** Names beginning so are ours in every project. */
const ownFolder = '/__vitrine/';
export const libFolder = `${ownFolder}lib/`;
const environmentPath = `${ownFolder}environment.d.ts`;
const importsPath = `${ownFolder}imports.d.ts`;

/** Folders at the root that no project has. */
const notOfProject: ReadonlySet<string> = new Set(['node_modules/', '__vitrine/']);

const scripts = /\.(?:[cm]?[jt]s|[jt]sx)$/;
/** What says how the whole project is read. */
const settings = /\.(?:html?|json)$/;

/** A text in the version that the language service knows it by. */
interface HeldFile {
  readonly version: number;
  readonly snapshot: ts.IScriptSnapshot;
  readonly text: string;
}

/**
 * The files that TypeScript's language service sees: a project at the root of a file system, its
 * packages' declarations under `/node_modules`, and ours. What changes is told to it; it asks nobody.
 */
export class ProjectHost implements ts.LanguageServiceHost {
  readonly #libs: ReadonlyMap<string, string>;
  readonly #project = new Map<string, string>();
  #packages: ReadonlyMap<string, string> = new Map();
  /** Name as imported → whether its declarations are here. */
  #packageNames: ReadonlyMap<string, boolean> = new Map();
  /** Path of markup → the file of its scripts. */
  readonly #embedded = new Map<string, string>();
  /** By path in this file system; an entry goes with its file. */
  readonly #held = new Map<string, HeldFile>();
  readonly #folders = new Map<string, Set<string>>();
  #options: ts.CompilerOptions = readOptions(new Map());
  #version = 0;
  #roots: string[] | undefined;

  /** `libs` are the language's own declarations, by file name. */
  constructor(libs: ReadonlyMap<string, string>) {
    this.#libs = libs;
    for (const name of libs.keys()) this.#enter(libFolder + name);
    this.#hold(environmentPath, environment);
    this.#hold(importsPath, 'export {};');
  }

  get options(): ts.CompilerOptions {
    return this.#options;
  }

  /** Takes in what changed of a project's files. */
  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) {
      this.#project.delete(path);
      this.#drop(`/${path}`);
      this.#dropEmbedded(path);
    }
    for (const [path, text] of changed) {
      this.#project.set(path, text);
      this.#hold(`/${path}`, text);
      this.#holdEmbedded(path, text);
    }
    const names = [...changed.keys(), ...removed];
    if (names.some((path) => settings.test(path))) this.#options = readOptions(this.#project);
    if (names.includes('package.json')) this.#writeImports();
    this.#touch();
  }

  /** The declarations of packages by path, and which of the project's packages have any. */
  setPackages(files: ReadonlyMap<string, string>, names: ReadonlyMap<string, boolean>): void {
    for (const path of this.#packages.keys()) if (!files.has(path)) this.#drop(path);
    for (const [path, text] of files) if (this.#packages.get(path) !== text) this.#hold(path, text);
    this.#packages = files;
    this.#packageNames = names;
    this.#writeImports();
    this.#touch();
  }

  isOfProject(fileName: string): boolean {
    return this.#project.has(projectPath(fileName));
  }

  /** The file that holds the code at a project's path: itself, or of markup its scripts. */
  nameOf(path: string): string {
    return this.#embedded.get(path) ?? `/${path}`;
  }

  /** What a project's file says; undefined for what is none. */
  textOf(path: string): string | undefined {
    return this.#project.get(path);
  }

  /** False for markup whose scripts are no modules. */
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
    (this.#roots ??= [
      environmentPath,
      importsPath,
      ...[...this.#project.keys()].filter((path) => scripts.test(path)).map((path) => `/${path}`),
      ...this.#embedded.values(),
    ]);

  getScriptVersion = (fileName: string): string =>
    String(this.#held.get(fileName)?.version ?? (this.fileExists(fileName) ? 1 : 0));

  getScriptSnapshot = (fileName: string): ts.IScriptSnapshot | undefined => {
    const text = this.readFile(fileName);
    return (
      this.#held.get(fileName)?.snapshot ??
      (text === undefined ? undefined : ts.ScriptSnapshot.fromString(text))
    );
  };

  fileExists = (fileName: string): boolean => this.readFile(fileName) !== undefined;

  readFile = (fileName: string): string | undefined =>
    this.#held.get(fileName)?.text ??
    (fileName.startsWith(libFolder) ? this.#libs.get(fileName.slice(libFolder.length)) : undefined);

  directoryExists = (folder: string): boolean => this.#folders.has(withSlash(folder));

  getDirectories = (folder: string): string[] =>
    [...(this.#folders.get(withSlash(folder)) ?? [])]
      .filter((name) => name.endsWith('/') && !(folder === '/' && notOfProject.has(name)))
      .map((name) => name.slice(0, -1));

  /** `./*` are the files of the folder itself, and anything else those below it, too. */
  readDirectory = (
    folder: string,
    extensions: readonly string[] = [''],
    _exclude?: readonly string[],
    include?: readonly string[],
  ): string[] => {
    const around = withSlash(folder);
    const isDirect = include?.includes('./*') ?? false;
    return [...this.#held.keys()].filter(
      (path) =>
        path.startsWith(around) &&
        !(isDirect && path.includes('/', around.length)) &&
        extensions.some((ending) => path.endsWith(ending)),
    );
  };

  /**
   * Every package that has declarations is imported once, so that what it exports can be offered;
   * every other is declared to be anything, so that nothing is said of it.
   */
  #writeImports(): void {
    const known = [...this.#packageNames].filter(([, isTyped]) => isTyped).map(([name]) => name);
    const wished = listWishes(this.#project.get('package.json'));
    const unknown = new Set(
      [...wished, ...this.#packageNames.keys()].filter((name) => !known.includes(name)),
    );
    const imports = known.flatMap((name) => this.#listEntries(name));
    this.#hold(importsPath, `export {};\n${imports.map(toImport).join('')}`);
    const anything = [...unknown].map(
      (name) =>
        `declare module ${JSON.stringify(name)};\ndeclare module ${JSON.stringify(`${name}/*`)};\n`,
    );
    this.#hold(environmentPath, environment + anything.join(''));
  }

  /** `react-dom` → `react-dom`, `react-dom/client` and what else its package.json exports by name. */
  #listEntries(name: string): string[] {
    const folders = [`/node_modules/${name}`, `/node_modules/${typesName(name)}`];
    const manifests = folders.map((folder) => this.readFile(`${folder}/package.json`));
    const { config } = ts.parseConfigFileTextToJson(
      'package.json',
      manifests.find((each) => each !== undefined) ?? '{}',
    );
    const fields: unknown = config?.exports;
    const subpaths = typeof fields === 'object' && fields !== null ? Object.keys(fields) : [];
    const named = subpaths.filter((each) => /^\.\/[\w/-]+$/.test(each) && !notForAll.test(each));
    return [name, ...named.slice(0, entriesMax).map((each) => name + each.slice(1))];
  }

  #holdEmbedded(path: string, text: string): void {
    const name = embeddedName(path, text);
    if (this.#embedded.get(path) !== name) this.#dropEmbedded(path);
    if (name === undefined) return;
    this.#embedded.set(path, name);
    this.#hold(name, keepScripts(text));
  }

  #dropEmbedded(path: string): void {
    const name = this.#embedded.get(path);
    if (name === undefined) return;
    this.#embedded.delete(path);
    this.#drop(name);
  }

  #hold(path: string, text: string): void {
    const before = this.#held.get(path);
    if (before?.text === text) return;
    if (!before) this.#enter(path);
    const version = (before?.version ?? 0) + 1;
    this.#held.set(path, { version, text, snapshot: new TextSnapshot(text) });
  }

  #drop(path: string): void {
    this.#held.delete(path);
    const cut = path.lastIndexOf('/') + 1;
    this.#folders.get(path.slice(0, cut))?.delete(path.slice(cut));
  }

  /** Lists a path in its folder, and the folder in the one around it. */
  #enter(path: string): void {
    const cut = path.replace(/\/$/, '').lastIndexOf('/') + 1;
    const folder = path.slice(0, cut);
    const names = this.#folders.get(folder) ?? new Set();
    this.#folders.set(folder, names.add(path.slice(cut)));
    if (folder !== '/' && names.size === 1) this.#enter(folder);
  }

  #touch(): void {
    this.#version += 1;
    this.#roots = undefined;
  }
}

/** Subpaths that change what all of a package is, that only compilers import, or that run elsewhere. */
const notForAll = /canary|experimental|runtime|internal|server|\/package$/;
/** Of a package with hundreds of subpaths not all are read beforehand. */
const entriesMax = 12;

function toImport(specifier: string): string {
  return `import ${JSON.stringify(specifier)};\n`;
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

/** A text that can say how it differs from an earlier one, so that only that is parsed anew. */
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
    const { start, end, newEnd } = findDifference(before, this.#text);
    return { span: { start, length: end - start }, newLength: newEnd - start };
  }
}
