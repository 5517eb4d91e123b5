/** What is looked for: plain text, so that no pattern can take forever. */
export interface FileQuery {
  readonly text: string;
  readonly matchesCase: boolean;
  readonly wholeWord: boolean;
}

/** One match, with what stands around it in its line. */
export interface FileMatch {
  readonly line: number;
  readonly column: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export interface Found {
  readonly files: readonly { readonly path: string; readonly matches: readonly FileMatch[] }[];
  readonly count: number;
  /** False where there are more. */
  readonly isAll: boolean;
}

export const noQuery: FileQuery = { text: '', matchesCase: false, wholeWord: false };

/** More than these nobody reads. */
const shownAtMost = 500;
const beforeCharacters = 10;
const afterCharacters = 120;

/** Where a text stands in the files of a project; the lock is npm's. */
export function findInFiles(files: ReadonlyMap<string, string>, query: FileQuery): Found {
  const found: { path: string; matches: FileMatch[] }[] = [];
  let count = 0;
  if (query.text === '') return { files: found, count, isAll: true };
  const pattern = toPattern(query);
  for (const [path, text] of files) {
    if (path.endsWith('package-lock.json')) continue;
    const matches: FileMatch[] = [];
    for (const match of findMatches(text, pattern)) {
      if (count === shownAtMost)
        return { files: [...found, { path, matches }], count, isAll: false };
      matches.push(match);
      count += 1;
    }
    if (matches.length > 0) found.push({ path, matches });
  }
  return { files: found, count, isAll: true };
}

function* findMatches(text: string, pattern: RegExp): Generator<FileMatch> {
  let line = 1;
  let lineStart = 0;
  for (const { index, 0: match } of text.matchAll(pattern)) {
    for (let end = text.indexOf('\n', lineStart); end !== -1 && end < index;) {
      line += 1;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    const end = text.indexOf('\n', index + match.length);
    const lineEnd = end === -1 ? text.length : end;
    yield {
      line,
      column: index - lineStart + 1,
      before: shorten(text.slice(lineStart, index).trimStart()),
      match,
      after: text.slice(index + match.length, Math.min(lineEnd, index + afterCharacters)),
    };
  }
}

/** "document.querySelector(" → "…ySelector(": what is looked for is in sight also where it is narrow. */
function shorten(before: string): string {
  return before.length > beforeCharacters ? `…${before.slice(-beforeCharacters)}` : before;
}

function toPattern({ text, matchesCase, wholeWord }: FileQuery): RegExp {
  const plain = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const bound = wholeWord
    ? String.raw`(?<![\p{ID_Continue}$])${plain}(?![\p{ID_Continue}$])`
    : plain;
  return new RegExp(bound, matchesCase ? 'gu' : 'giu');
}
