/**
 * What declarations say in their comments, read once somebody asks what one of them is. TypeScript's
 * parser would read all of them, which takes as long as the declarations themselves, and keep them.
 */
import ts from 'typescript';

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
    for (const { index } of file.text.matchAll(/@deprecated\b/g)) {
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

function readComments(node: Documented, { text }: ts.SourceFile): void {
  if (read.has(node)) return;
  read.add(node);
  const found = (parts.getJSDocCommentRanges(node, text) ?? []).flatMap(
    ({ pos, end }) => parts.parseIsolatedJSDocComment(text, pos, end - pos)?.jsDoc ?? [],
  );
  for (const each of found) (each as { parent: ts.Node }).parent = node;
  node.jsDoc = found.length > 0 ? found : undefined;
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
