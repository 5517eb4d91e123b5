/** What is looked for, and what is written in its place. */
export interface FileQuery {
  readonly text: string;
  readonly matchesCase: boolean;
  readonly wholeWord: boolean;
  /** It is a regular expression, whose groups the replacement may name: $1, $<name>, $&. */
  readonly isExpression: boolean;
  /** Undefined while nothing is to be replaced. */
  readonly replacement: string | undefined;
}

/** One match, with what stands around it in its line. */
export interface FileMatch {
  /** Where it is in its file, in UTF-16 units from 0. */
  readonly from: number;
  readonly line: number;
  readonly column: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
  /** What would be written in its place. */
  readonly insert?: string;
}

export interface Found {
  readonly files: readonly { readonly path: string; readonly matches: readonly FileMatch[] }[];
  readonly count: number;
  /** False where there are more. */
  readonly isAll: boolean;
  /** Why nothing could be looked for. */
  readonly problem?: 'expression_invalid' | 'expression_slow';
}

export const noQuery: FileQuery = {
  text: '',
  matchesCase: false,
  wholeWord: false,
  isExpression: false,
  replacement: undefined,
};

export const nothingFound: Found = { files: [], count: 0, isAll: true };

/** More than these nobody reads. */
const shownAtMost = 500;
const beforeCharacters = 10;
const afterCharacters = 120;

/**
 * Where a text stands in the files of a project; the lock is npm's. An expression may take forever:
 * it belongs into a worker.
 */
export function findInFiles(
  files: ReadonlyMap<string, string>,
  query: FileQuery,
  atMost = shownAtMost,
): Found {
  if (query.text === '') return nothingFound;
  const pattern = toPattern(query);
  if (!pattern) return { ...nothingFound, problem: 'expression_invalid' };
  const found: { path: string; matches: FileMatch[] }[] = [];
  let count = 0;
  for (const [path, text] of files) {
    if (path.endsWith('package-lock.json')) continue;
    const matches: FileMatch[] = [];
    for (const match of findMatches(text, pattern, query)) {
      if (count === atMost) return { files: [...found, { path, matches }], count, isAll: false };
      matches.push(match);
      count += 1;
    }
    if (matches.length > 0) found.push({ path, matches });
  }
  return { files: found, count, isAll: true };
}

function* findMatches(
  text: string,
  pattern: RegExp,
  { replacement, isExpression }: FileQuery,
): Generator<FileMatch> {
  let line = 1;
  let lineStart = 0;
  for (const found of text.matchAll(pattern)) {
    const { index, 0: match } = found;
    // Where nothing stands, nothing is seen.
    if (match === '') continue;
    for (let end = text.indexOf('\n', lineStart); end !== -1 && end < index;) {
      line += 1;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    const end = text.indexOf('\n', index + match.length);
    const lineEnd = end === -1 ? text.length : end;
    yield {
      from: index,
      line,
      column: index - lineStart + 1,
      before: shorten(text.slice(lineStart, index).trimStart()),
      match,
      after: text.slice(
        index + match.length,
        Math.min(lineEnd, index + match.length + afterCharacters),
      ),
      ...(replacement !== undefined && {
        insert: isExpression ? fillIn(replacement, found) : replacement,
      }),
    };
  }
}

/** "document.querySelector(" → "…ySelector(": what is looked for is in sight also where it is narrow. */
function shorten(before: string): string {
  return before.length > beforeCharacters ? `…${before.slice(-beforeCharacters)}` : before;
}

/** Undefined for an expression that cannot be read. */
function toPattern(query: FileQuery): RegExp | undefined {
  const { text, matchesCase, wholeWord, isExpression } = query;
  const plain = isExpression ? text : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const bound = wholeWord
    ? String.raw`(?<![\p{ID_Continue}$])(?:${plain})(?![\p{ID_Continue}$])`
    : plain;
  try {
    return new RegExp(bound, `gu${matchesCase ? '' : 'i'}${isExpression ? 'm' : ''}`);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** "$2-$1\n" → what the groups of a match hold, as JavaScript’s `replace` reads it, and line ends. */
function fillIn(replacement: string, found: RegExpExecArray): string {
  return replacement.replace(
    /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)|\\([nt\\])/g,
    (all, dollar?: string, whole?: string, group?: string, name?: string, sign?: string) => {
      if (dollar !== undefined) return '$';
      if (whole !== undefined) return found[0];
      if (sign !== undefined) return sign === 'n' ? '\n' : sign === 't' ? '\t' : '\\';
      if (name !== undefined) return found.groups ? (found.groups[name] ?? '') : all;
      const number = Number(group);
      return number > 0 && number < found.length ? (found[number] ?? '') : all;
    },
  );
}
