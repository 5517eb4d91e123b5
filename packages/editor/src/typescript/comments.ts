/**
 * What declarations say in their comments, read once somebody asks what one of them is. TypeScript's
 * parser would read all of them, which takes as long as the declarations themselves, and keep them.
 */
import ts from 'typescript';
import { findComments, joinComments } from './cut-comments.ts';
import { libFolder } from './project-host.ts';

/** What TypeScript has, and does not declare. */
interface Parts {
  getJSDocCommentRanges(node: ts.Node, text: string): ts.CommentRange[] | undefined;
  parseIsolatedJSDocComment(
    text: string,
    start: number,
    length: number,
  ): { readonly jsDoc: ts.JSDoc } | undefined;
  readonly NodeFlags: { readonly Deprecated: ts.NodeFlags };
  readonly objectAllocator: {
    getSymbolConstructor(): { readonly prototype: Record<string, Tell | undefined> };
    getSignatureConstructor(): { readonly prototype: Record<string, Tell | undefined> };
  };
}
const parts = ts as unknown as Parts;

type Documented = ts.Node & { flags: ts.NodeFlags; jsDoc?: ts.JSDoc[] | undefined };

/** Files that were parsed without their comments. */
const left = new WeakSet<ts.SourceFile>();
/** Nodes of theirs whose comments have been read. */
const read = new WeakSet<ts.Node>();

/** Path → comments, of the language’s declarations; empty until they have come. */
let cut: ReadonlyMap<string, string> = new Map();
/** File of these → where its comments are in its text by now, by what is in their places. */
const brought = new WeakMap<ts.SourceFile, ReadonlyMap<number, ts.TextRange>>();

/** Takes the comments of the language’s declarations, by file name; these have their places (`cut-comments.ts`). */
export function takeComments(comments: ReadonlyMap<string, string>): void {
  cut = new Map([...comments].map(([name, text]) => [libFolder + name, text]));
}

/** A file with its comments. */
export function wholeText(path: string, code: string): string {
  const comments = cut.get(path);
  return comments === undefined ? code : joinComments({ code, comments });
}

/** Where something is in the whole text. */
export function findPlace(file: ts.SourceFile, offset: number): ts.LineAndCharacter {
  if (!cut.has(file.fileName)) return ts.getLineAndCharacterOfPosition(file, offset);
  const lines = wholeText(file.fileName, file.text.slice(0, offset)).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** Those of which it is not known yet what in them is deprecated. */
let unmarked: ts.SourceFile[] = [];

/** Takes a file that was parsed without its comments. */
export function leaveComments(file: ts.SourceFile): ts.SourceFile {
  if (!left.has(file)) unmarked.push(file);
  left.add(file);
  return file;
}

/** Finds what is deprecated in files that came since: lists strike it out without asking what it is. */
export function markDeprecated(): void {
  const files = unmarked;
  unmarked = [];
  for (const file of files)
    for (const { index } of file.text.slice(0, file.end).matchAll(/@deprecated\b/g)) {
      const node = findDocumented(file, index);
      if (!node) continue;
      readComments(node, file);
      if (node.jsDoc?.some(({ tags }) => tags?.some(ts.isJSDocDeprecatedTag)))
        node.flags |= parts.NodeFlags.Deprecated;
    }
  if (files.length > 0) forgetDeprecated();
}

/** A comment read by itself leaves it to the next thing with a comment that is parsed to be deprecated. */
function forgetDeprecated(): void {
  ts.createSourceFile('next.ts', '/** */ var next', ts.ScriptTarget.ESNext);
}

/** The outermost node that has a place in the comments ahead of it. */
function findDocumented(file: ts.SourceFile, at: number): Documented | undefined {
  const isAround = (node: ts.Node) => node.pos <= at && at < node.end;
  let node = findAround(file.statements, at);
  while (node && node.getStart(file) <= at)
    node = ts.forEachChild(node, (child) => (isAround(child) ? child : undefined));
  return node;
}

function findAround(statements: readonly ts.Node[], at: number): ts.Node | undefined {
  let [low, high] = [0, statements.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((statements[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return statements[low];
}

function readComments(node: Documented, file: ts.SourceFile): void {
  if (read.has(node)) return;
  const whole = bringComments(file);
  // The places alone say what is deprecated, and nothing else.
  if (whole) read.add(node);
  const found = (parts.getJSDocCommentRanges(node, file.text) ?? []).flatMap((place) => {
    const { pos, end } = whole?.get(place.pos) ?? place;
    return parts.parseIsolatedJSDocComment(file.text, pos, end - pos)?.jsDoc ?? [];
  });
  for (const each of found) (each as { parent: ts.Node }).parent = node;
  node.jsDoc = found.length > 0 ? found : undefined;
}

/**
 * Lays the comments that were cut from a file behind its code, so that what is read of them has its
 * text there. Undefined while they are on their way. Whoever looks for a name in the file passes by
 * what has been told of: it seems to begin there. Of the language’s own files nobody lists uses.
 */
function bringComments(file: ts.SourceFile): ReadonlyMap<number, ts.TextRange> | undefined {
  const comments = cut.get(file.fileName);
  if (comments === undefined) return file.fileName.startsWith(libFolder) ? undefined : new Map();
  const known = brought.get(file);
  if (known) return known;
  const start = file.text.length;
  const places = findComments(file.text);
  const found = findComments(comments).map(({ pos, end }) => ({
    pos: start + pos,
    end: start + end,
  }));
  const ranges = new Map(places.flatMap(({ pos }, nth) => (found[nth] ? [[pos, found[nth]]] : [])));
  file.text += comments;
  brought.set(file, ranges);
  return ranges;
}

/** Those of a declaration, and of all that it is in: a variable's stand ahead of its statement. */
function readCommentsOf(declaration: ts.Node | undefined): void {
  const file = declaration?.getSourceFile();
  if (!file || !left.has(file)) return;
  for (let node = declaration; node && node !== file; node = node.parent) readComments(node, file);
  forgetDeprecated();
}

type Tell = (this: ts.Symbol | ts.Signature, ...given: unknown[]) => unknown;

const telling = [
  'getDocumentationComment',
  'getContextualDocumentationComment',
  'getJsDocTags',
  'getContextualJsDocTags',
];

// Whatever tells of comments does so by way of these.
for (const kind of [
  parts.objectAllocator.getSymbolConstructor(),
  parts.objectAllocator.getSignatureConstructor(),
])
  for (const name of telling) {
    const tell = kind.prototype[name];
    if (!tell) continue;
    kind.prototype[name] = function (...given) {
      const of = 'getDeclarations' in this ? (this.getDeclarations() ?? []) : [this.declaration];
      for (const each of of) readCommentsOf(each);
      return tell.apply(this, given);
    };
  }
