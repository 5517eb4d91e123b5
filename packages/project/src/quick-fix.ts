/** Quick fixes as data. The owner of the text applies them, so that they can be undone. */

/** A quick fix for a diagnostic. */
export interface QuickFix {
  /** Button label, such as "Change to ./App.jsx". */
  label: string;
  edit: QuickFixEdit;
}

/** The edit of a quick fix, in one file of the project. */
export type QuickFixEdit =
  /** Replaces `before` at a 1-based line and column with `text`. */
  | { type: 'replace'; path: string; line: number; column: number; before: string; text: string }
  /** Creates a file that doesn't exist yet. */
  | { type: 'create'; path: string; text: string };

/** Returns the edited file's new text, or undefined if the file has changed since the fix was made. */
export function applyQuickFix(
  files: ReadonlyMap<string, string>,
  edit: QuickFixEdit,
): string | undefined {
  const text = files.get(edit.path);
  if (edit.type === 'create') return text === undefined ? edit.text : undefined;
  if (text === undefined) return undefined;
  const start = findIndex(text, edit.line, edit.column);
  if (start === undefined || !text.startsWith(edit.before, start)) return undefined;
  return text.slice(0, start) + edit.text + text.slice(start + edit.before.length);
}

/** Converts a 1-based line and column to an index; undefined after the last line. */
function findIndex(text: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  return start + column - 1;
}
