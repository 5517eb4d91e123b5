/**
 * Reads doc comments of declaration files on demand. TypeScript's parser would read all of them and
 * keep them in memory, which takes as long as parsing the declarations themselves.
 */
import ts from 'typescript';
import { findComments, restoreComments } from './strip-comments.ts';
import { libFolder } from './project-host.ts';

/** Internal TypeScript APIs that its declarations leave out. */
interface InternalApi {
  getJSDocCommentRanges(node: ts.Node, text: string): ts.CommentRange[] | undefined;
  parseIsolatedJSDocComment(
    text: string,
    start: number,
    length: number,
  ): { readonly jsDoc: ts.JSDoc } | undefined;
  readonly NodeFlags: { readonly Deprecated: ts.NodeFlags };
  readonly objectAllocator: {
    getSymbolConstructor(): { readonly prototype: Record<string, DocumentationMethod | undefined> };
    getSignatureConstructor(): {
      readonly prototype: Record<string, DocumentationMethod | undefined>;
    };
  };
}
const internalApi = ts as unknown as InternalApi;

type Documented = ts.Node & { flags: ts.NodeFlags; jsDoc?: ts.JSDoc[] | undefined };

/** Source files parsed without comments. */
const filesWithoutComments = new WeakSet<ts.SourceFile>();
/** Nodes whose comments have been read. */
const nodesWithComments = new WeakSet<ts.Node>();

/** Comments of the standard library, by path. Empty until they are loaded. */
let libComments: ReadonlyMap<string, string> = new Map();
/**
 * Ranges of the appended comments, by the position of their placeholder, for each library file that
 * has them.
 */
const appendedRanges = new WeakMap<ts.SourceFile, ReadonlyMap<number, ts.TextRange>>();

/**
 * Sets the comments of the standard library, by file name. Their placeholders are in the files
 * (`strip-comments.ts`).
 */
export function setLibComments(comments: ReadonlyMap<string, string>): void {
  libComments = new Map([...comments].map(([name, text]) => [libFolder + name, text]));
}

/** The text of a library file with its comments restored. */
export function restoreLibText(path: string, code: string): string {
  const comments = libComments.get(path);
  return comments === undefined ? code : restoreComments({ code, comments });
}

/** Line and column of an offset in the text with its comments. */
export function findOriginalPosition(file: ts.SourceFile, offset: number): ts.LineAndCharacter {
  if (!libComments.has(file.fileName)) return ts.getLineAndCharacterOfPosition(file, offset);
  const lines = restoreLibText(file.fileName, file.text.slice(0, offset)).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** Source files whose deprecated declarations are not marked yet. */
let filesToMark: ts.SourceFile[] = [];

/** Registers a source file that was parsed without comments. */
export function registerWithoutComments(file: ts.SourceFile): ts.SourceFile {
  if (!filesWithoutComments.has(file)) filesToMark.push(file);
  filesWithoutComments.add(file);
  return file;
}

/**
 * Marks deprecated declarations in files added since, so that completion lists can strike them out
 * without reading documentation.
 */
export function markDeprecated(): void {
  const files = filesToMark;
  filesToMark = [];
  for (const file of files)
    for (const { index } of file.text.slice(0, file.end).matchAll(/@deprecated\b/g)) {
      const node = findDocumented(file, index);
      if (!node) continue;
      readComments(node, file);
      if (node.jsDoc?.some(({ tags }) => tags?.some(ts.isJSDocDeprecatedTag)))
        node.flags |= internalApi.NodeFlags.Deprecated;
    }
  if (files.length > 0) resetDeprecated();
}

/**
 * Clears parser state: after an isolated `@deprecated` comment, TypeScript would mark the next
 * parsed declaration with a comment as deprecated.
 */
function resetDeprecated(): void {
  ts.createSourceFile('next.ts', '/** */ var next', ts.ScriptTarget.ESNext);
}

/** The outermost node whose leading comments contain the offset. */
function findDocumented(file: ts.SourceFile, at: number): Documented | undefined {
  const isAround = (node: ts.Node) => node.pos <= at && at < node.end;
  let node = findStatementAt(file.statements, at);
  while (node && node.getStart(file) <= at)
    node = ts.forEachChild(node, (child) => (isAround(child) ? child : undefined));
  return node;
}

function findStatementAt(statements: readonly ts.Node[], at: number): ts.Node | undefined {
  let [low, high] = [0, statements.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((statements[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return statements[low];
}

function readComments(node: Documented, file: ts.SourceFile): void {
  if (nodesWithComments.has(node)) return;
  const ranges = appendComments(file);
  // Placeholders only say what is deprecated, so the node is read again once the comments are
  // loaded.
  if (ranges) nodesWithComments.add(node);
  const found = (internalApi.getJSDocCommentRanges(node, file.text) ?? []).flatMap(
    (placeholder) => {
      const { pos, end } = ranges?.get(placeholder.pos) ?? placeholder;
      return internalApi.parseIsolatedJSDocComment(file.text, pos, end - pos)?.jsDoc ?? [];
    },
  );
  for (const each of found) (each as { parent: ts.Node }).parent = node;
  node.jsDoc = found.length > 0 ? found : undefined;
}

/**
 * Appends a library file's comments to its text, so that JSDoc nodes have their source text.
 * Undefined while they are loading. References search skips a node whose comments were read, as it
 * seems to start there; references in library files are never listed.
 */
function appendComments(file: ts.SourceFile): ReadonlyMap<number, ts.TextRange> | undefined {
  const comments = libComments.get(file.fileName);
  if (comments === undefined) return file.fileName.startsWith(libFolder) ? undefined : new Map();
  const cached = appendedRanges.get(file);
  if (cached) return cached;
  const start = file.text.length;
  const placeholders = findComments(file.text);
  const found = findComments(comments).map(({ pos, end }) => ({
    pos: start + pos,
    end: start + end,
  }));
  const ranges = new Map(
    placeholders.flatMap(({ pos }, nth) => (found[nth] ? [[pos, found[nth]]] : [])),
  );
  file.text += comments;
  appendedRanges.set(file, ranges);
  return ranges;
}

/**
 * Reads the comments of a declaration and its ancestors: a variable's comment is on its statement.
 */
function readDeclarationComments(declaration: ts.Node | undefined): void {
  const file = declaration?.getSourceFile();
  if (!file || !filesWithoutComments.has(file)) return;
  for (let node = declaration; node && node !== file; node = node.parent) readComments(node, file);
  resetDeprecated();
}

type DocumentationMethod = (this: ts.Symbol | ts.Signature, ...args: unknown[]) => unknown;

const documentationMethods = [
  'getDocumentationComment',
  'getContextualDocumentationComment',
  'getJsDocTags',
  'getContextualJsDocTags',
];

// Wraps the methods through which all documentation is requested.
for (const kind of [
  internalApi.objectAllocator.getSymbolConstructor(),
  internalApi.objectAllocator.getSignatureConstructor(),
])
  for (const name of documentationMethods) {
    const method = kind.prototype[name];
    if (!method) continue;
    kind.prototype[name] = function (...args) {
      const of = 'getDeclarations' in this ? (this.getDeclarations() ?? []) : [this.declaration];
      for (const each of of) readDeclarationComments(each);
      return method.apply(this, args);
    };
  }
