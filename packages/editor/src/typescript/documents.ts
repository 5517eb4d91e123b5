import ts from 'typescript';
import { leaveComments } from './comments.ts';
import { libFolder, type ProjectHost } from './project-host.ts';

/** Of declarations there is one copy, whatever a project's options: they are read the same with all. */
const bucket = 'declarations' as ts.DocumentRegistryBucketKey;
const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;

type Acquire = ts.DocumentRegistry['acquireDocumentWithKey'];

/**
 * Parsed files, which one program hands on to the next. Comments in declarations of the language and
 * of packages are half of what there is to parse, and hardly any is ever read.
 */
export function createDocuments(): ts.DocumentRegistry {
  const scripts = ts.createDocumentRegistry(true);
  const declarations = ts.createDocumentRegistry(true, '', jsDocParsingMode);
  const choose =
    (call: 'acquireDocumentWithKey' | 'updateDocumentWithKey'): Acquire =>
    (name, path, settings, key, text, version, kind, given) => {
      if (!isDeclaration(path))
        return scripts[call](name, path, settings, key, text, version, kind, given);
      const options = withoutComments(given);
      return leaveComments(
        declarations[call](name, path, settings, bucket, text, version, kind, options),
      );
    };
  return {
    ...scripts,
    acquireDocumentWithKey: choose('acquireDocumentWithKey'),
    updateDocumentWithKey: choose('updateDocumentWithKey'),
    releaseDocumentWithKey(
      path: ts.Path,
      key: ts.DocumentRegistryBucketKey,
      kind: ts.ScriptKind = ts.ScriptKind.Unknown,
      format?: ts.ResolutionMode,
    ) {
      if (isDeclaration(path)) declarations.releaseDocumentWithKey(path, bucket, kind, format);
      else scripts.releaseDocumentWithKey(path, key, kind, format);
    },
  };
}

/** Reads the declarations of the language that a project needs, one at each step, for good. */
export function* readLibraries(
  documents: ts.DocumentRegistry,
  host: ProjectHost,
  names = host.options.lib ?? [],
  known = new Set<string>(),
): Generator<void, void> {
  for (const each of names) {
    const name = libFolder + each;
    const text = known.has(name) ? undefined : host.getScriptSnapshot(name);
    if (!text) continue;
    known.add(name);
    const file = documents.acquireDocumentWithKey(
      name,
      name as ts.Path,
      host.options,
      bucket,
      text,
      host.getScriptVersion(name),
      ts.ScriptKind.TS,
      ts.ScriptTarget.ESNext,
    );
    bindSourceFile(file, host.options);
    yield;
    const needed = file.libReferenceDirectives.map(({ fileName }) => `lib.${fileName}.d.ts`);
    yield* readLibraries(documents, host, needed, known);
  }
}

/** TypeScript has it, and does not declare it. */
const { bindSourceFile } = ts as unknown as {
  bindSourceFile(file: ts.SourceFile, options: ts.CompilerOptions): void;
};

/** Of the language itself, or of a package. */
function isDeclaration(path: string): boolean {
  return (
    path.startsWith(libFolder) ||
    (path.startsWith('/node_modules/') && /\.d\.(?:[cm]?ts|[^/]+\.ts)$/.test(path))
  );
}

function withoutComments(
  given: ts.CreateSourceFileOptions | ts.ScriptTarget = ts.ScriptTarget.ESNext,
): ts.CreateSourceFileOptions {
  const options = typeof given === 'object' ? given : { languageVersion: given };
  return { ...options, jsDocParsingMode };
}
