import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { setLibComments } from '../src/typescript/doc-comments.ts';
import { stripComments } from '../src/typescript/strip-comments.ts';
import { createLanguageHandlers } from '../src/typescript/handlers.ts';
import type { LanguageHandlers } from '../src/typescript/messages.ts';
import { mergeTypes } from '../src/typescript/package-types.ts';
import { libFolder, ProjectHost } from '../src/typescript/project-host.ts';
import { createTypeScriptContext } from '../src/typescript/typescript-context.ts';

const require = createRequire(import.meta.url);
const libFolderPath = dirname(require.resolve('typescript'));

/** The standard library with its comments. */
export const libs: ReadonlyMap<string, string> = new Map(
  readdirSync(libFolderPath)
    .filter((name) => /^lib\..*\.d\.ts$/.test(name))
    .map((name) => [name, readFileSync(join(libFolderPath, name), 'utf8')]),
);

const parts = [...libs].map(([name, text]) => [name, stripComments(text)] as const);
setLibComments(new Map(parts.map(([name, { comments }]) => [name, comments])));

/** The standard library as the worker has it initially. */
export const strippedLibs: ReadonlyMap<string, string> = new Map(
  parts.map(([name, { code }]) => [name, code]),
);

/** Declarations as the server returns them for a package. */
export function readTypes(...names: string[]): Map<string, string> {
  return new Map(
    names.flatMap((name) => {
      const folder = join(libFolderPath, '../..', name);
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path === 'package.json' || path.endsWith('.d.ts'))
        .map((path) => [`/node_modules/${name}/${path}`, readFileSync(join(folder, path), 'utf8')]);
    }),
  );
}

export const reactTypes = new Map([
  ['react', readTypes('@types/react', 'csstype')],
  ['react-dom', readTypes('@types/react-dom')],
]);

/** Consecutive projects in one language service, as in the worker. */
export class TestTypeScriptProject {
  readonly host = new ProjectHost(strippedLibs);
  readonly handlers: LanguageHandlers;
  #files: ReadonlyMap<string, string> = new Map();

  constructor() {
    this.handlers = createLanguageHandlers(createTypeScriptContext(this.host));
  }

  setFiles(files: ReadonlyMap<string, string>): void {
    const changed = new Map([...files].filter(([path, text]) => this.#files.get(path) !== text));
    const removed = [...this.#files.keys()].filter((path) => !files.has(path));
    this.#files = files;
    this.host.changeFiles(changed, removed);
  }

  setPackages(packages: ReadonlyMap<string, ReadonlyMap<string, string> | null>): void {
    const { files, hasTypesByName } = mergeTypes(packages);
    this.host.setPackages(files, hasTypesByName);
  }
}

/**
 * A plain TypeScript language service with the same options. All files are in one map and read
 * again for each project.
 */
export function createPlainService(
  files: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
): ts.LanguageService {
  const read = (path: string) =>
    path.startsWith(libFolder) ? libs.get(path.slice(libFolder.length)) : files.get(path);
  const folders = new Set([...files.keys()].flatMap(foldersAround));
  return ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getScriptFileNames: () =>
        [...files.keys()].filter((path) => !path.includes('/node_modules/')),
      // The document registry identifies a text by its version, across projects.
      getScriptVersion: (path) => (path.startsWith(libFolder) ? '1' : (read(path) ?? '')),
      getScriptSnapshot: (path) => {
        const text = read(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: (given) => libFolder + ts.getDefaultLibFileName(given),
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
      directoryExists: (path) => folders.has(path.replace(/(.)\/$/, '$1')),
    },
    registry,
  );
}

/** Shared, so that the standard library is parsed once. */
const registry = ts.createDocumentRegistry(true);

function foldersAround(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/') || '/');
}
