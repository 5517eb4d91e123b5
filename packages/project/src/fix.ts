/** Changes that mend mistakes, as data: whoever owns the text makes them, and can take them back. */

/** What one press would do. */
export interface Fix {
  /** "Change to ./App.jsx" */
  label: string;
  edit: FixEdit;
}

export type FixEdit =
  /** `before` stands at the place, counted from 1, and makes way for `text`. */
  | { type: 'replace'; path: string; line: number; column: number; before: string; text: string }
  /** A file that is not there. */
  | { type: 'create'; path: string; text: string };

/** The text that the file of a fix has after it; undefined where it is no longer as the fix found it. */
export function applyFix(files: ReadonlyMap<string, string>, edit: FixEdit): string | undefined {
  const text = files.get(edit.path);
  if (edit.type === 'create') return text === undefined ? edit.text : undefined;
  if (text === undefined) return undefined;
  const start = indexAt(text, edit.line, edit.column);
  if (start === undefined || !text.startsWith(edit.before, start)) return undefined;
  return text.slice(0, start) + edit.text + text.slice(start + edit.before.length);
}

/** The index of a place in a text; undefined past its end. */
function indexAt(text: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  return start + column - 1;
}
