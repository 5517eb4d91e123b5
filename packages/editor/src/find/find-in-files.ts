/** A search across the files of a project, with an optional replacement. */
export interface FileSearchQuery {
  readonly text: string;
  readonly matchesCase: boolean;
  readonly wholeWord: boolean;
  /**
   * True if `text` is a regular expression, whose groups the replacement may reference: $1,
   * $<name>, $&.
   */
  readonly isRegExp: boolean;
  /** Undefined in a search without replacing. */
  readonly replacement: string | undefined;
}

/** One match with the text around it in its line. */
export interface FileMatch {
  /** Offset in its file, in UTF-16 units from 0. */
  readonly from: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
  /** Replacement text, with groups filled in. */
  readonly replacement?: string;
}

/** Matches by file, in the order of the files. */
export interface FileSearchResults {
  readonly files: readonly { readonly path: string; readonly matches: readonly FileMatch[] }[];
  readonly count: number;
  /** False if there are more matches than the maximum. */
  readonly isComplete: boolean;
  /** Set if the search failed: `expression_slow` if the worker timed out (file-searcher.ts). */
  readonly error?: 'expression_invalid' | 'expression_slow';
}

export const emptyFileSearchQuery: FileSearchQuery = {
  text: '',
  matchesCase: false,
  wholeWord: false,
  isRegExp: false,
  replacement: undefined,
};

export const noFileSearchResults: FileSearchResults = { files: [], count: 0, isComplete: true };

/** Default maximum number of matches. */
const defaultMaxMatches = 500;
/** Maximum number of characters shown before a match. */
const maxBeforeLength = 10;
/** Maximum number of characters shown after a match. */
const maxAfterLength = 120;

/**
 * Finds a text in the files of a project, except npm's lockfile. Matching a regular expression
 * may take forever, so run it in a worker.
 * @param maxMatches Stops after this many matches.
 */
export function findInFiles(
  files: ReadonlyMap<string, string>,
  query: FileSearchQuery,
  maxMatches = defaultMaxMatches,
): FileSearchResults {
  if (query.text === '') return noFileSearchResults;
  const pattern = createPattern(query);
  if (!pattern) return { ...noFileSearchResults, error: 'expression_invalid' };
  const found: { path: string; matches: FileMatch[] }[] = [];
  let count = 0;
  for (const [path, text] of files) {
    if (path.endsWith('package-lock.json')) continue;
    const matches: FileMatch[] = [];
    for (const match of findMatches(text, pattern, query)) {
      if (count === maxMatches)
        return { files: [...found, { path, matches }], count, isComplete: false };
      matches.push(match);
      count += 1;
    }
    if (matches.length > 0) found.push({ path, matches });
  }
  return { files: found, count, isComplete: true };
}

function* findMatches(
  text: string,
  pattern: RegExp,
  { replacement, isRegExp }: FileSearchQuery,
): Generator<FileMatch> {
  let line = 1;
  let lineStart = 0;
  for (const found of text.matchAll(pattern)) {
    const { index, 0: match } = found;
    // Empty matches are skipped.
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
        Math.min(lineEnd, index + match.length + maxAfterLength),
      ),
      ...(replacement !== undefined && {
        replacement: isRegExp ? expandReplacement(replacement, found) : replacement,
      }),
    };
  }
}

/**
 * Shortens the text before a match, so that the match is visible in a narrow panel:
 * "document.querySelector(" → "…ySelector(".
 */
function shorten(before: string): string {
  return before.length > maxBeforeLength ? `…${before.slice(-maxBeforeLength)}` : before;
}

/** Undefined for an invalid regular expression. */
function createPattern(query: FileSearchQuery): RegExp | undefined {
  const { text, matchesCase, wholeWord, isRegExp } = query;
  const source = isRegExp ? text : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const bounded = wholeWord
    ? String.raw`(?<![\p{ID_Continue}$])(?:${source})(?![\p{ID_Continue}$])`
    : source;
  try {
    return new RegExp(bounded, `gu${matchesCase ? '' : 'i'}${isRegExp ? 'm' : ''}`);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Expands `$1`, `$<name>`, `$&`, `\n` and `\t` in a replacement: "$2-$1" → the match's groups. */
function expandReplacement(replacement: string, found: RegExpExecArray): string {
  return replacement.replace(
    /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)|\\([nt\\])/g,
    (all, dollar?: string, whole?: string, group?: string, name?: string, escape?: string) => {
      if (dollar !== undefined) return '$';
      if (whole !== undefined) return found[0];
      if (escape !== undefined) return escape === 'n' ? '\n' : escape === 't' ? '\t' : '\\';
      if (name !== undefined) return found.groups ? (found.groups[name] ?? '') : all;
      const number = Number(group);
      return number > 0 && number < found.length ? (found[number] ?? '') : all;
    },
  );
}
