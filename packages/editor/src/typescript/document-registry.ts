import ts from 'typescript';
import { registerWithoutComments } from './doc-comments.ts';
import { libFolder, type ProjectHost } from './project-host.ts';

/**
 * One copy of each declaration file is shared by all compiler options: they are parsed the same way
 * with any.
 */
const declarationsKey = 'declarations' as ts.DocumentRegistryBucketKey;
const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;

type Acquire = ts.DocumentRegistry['acquireDocumentWithKey'];

/**
 * Creates a registry that reuses parsed files between programs. Declarations of the standard
 * library and of packages are parsed without comments, which are half of their text and rarely
 * read.
 */
export function createDocumentRegistry(): ts.DocumentRegistry {
  const scripts = ts.createDocumentRegistry(true);
  const declarations = ts.createDocumentRegistry(true, '', jsDocParsingMode);
  const dispatch =
    (call: 'acquireDocumentWithKey' | 'updateDocumentWithKey'): Acquire =>
    (name, path, settings, key, text, version, kind, optionsOrTarget) => {
      if (!isDeclaration(path))
        return scripts[call](name, path, settings, key, text, version, kind, optionsOrTarget);
      const options = withoutComments(optionsOrTarget);
      return registerWithoutComments(
        declarations[call](name, path, settings, declarationsKey, text, version, kind, options),
      );
    };
  return {
    ...scripts,
    acquireDocumentWithKey: dispatch('acquireDocumentWithKey'),
    updateDocumentWithKey: dispatch('updateDocumentWithKey'),
    releaseDocumentWithKey(
      path: ts.Path,
      key: ts.DocumentRegistryBucketKey,
      kind: ts.ScriptKind = ts.ScriptKind.Unknown,
      format?: ts.ResolutionMode,
    ) {
      if (isDeclaration(path))
        declarations.releaseDocumentWithKey(path, declarationsKey, kind, format);
      else scripts.releaseDocumentWithKey(path, key, kind, format);
    },
  };
}

/**
 * Parses and binds the standard library files that a project needs, one per step. They stay in the
 * registry.
 */
export function* parseLibFiles(
  documents: ts.DocumentRegistry,
  host: ProjectHost,
  libNames = host.options.lib ?? [],
  visited = new Set<string>(),
): Generator<void, void> {
  for (const each of libNames) {
    const name = libFolder + each;
    const text = visited.has(name) ? undefined : host.getScriptSnapshot(name);
    if (!text) continue;
    visited.add(name);
    const file = documents.acquireDocumentWithKey(
      name,
      name as ts.Path,
      host.options,
      declarationsKey,
      text,
      host.getScriptVersion(name),
      ts.ScriptKind.TS,
      ts.ScriptTarget.ESNext,
    );
    bindSourceFile(file, host.options);
    yield;
    const needed = file.libReferenceDirectives.map(({ fileName }) => `lib.${fileName}.d.ts`);
    yield* parseLibFiles(documents, host, needed, visited);
  }
}

/** An internal TypeScript API. */
const { bindSourceFile } = ts as unknown as {
  bindSourceFile(file: ts.SourceFile, options: ts.CompilerOptions): void;
};

/** True for the declarations of the standard library or a package. */
function isDeclaration(path: string): boolean {
  return (
    path.startsWith(libFolder) ||
    (path.startsWith('/node_modules/') && /\.d\.(?:[cm]?ts|[^/]+\.ts)$/.test(path))
  );
}

function withoutComments(
  optionsOrTarget: ts.CreateSourceFileOptions | ts.ScriptTarget = ts.ScriptTarget.ESNext,
): ts.CreateSourceFileOptions {
  const options =
    typeof optionsOrTarget === 'object' ? optionsOrTarget : { languageVersion: optionsOrTarget };
  return { ...options, jsDocParsingMode };
}
