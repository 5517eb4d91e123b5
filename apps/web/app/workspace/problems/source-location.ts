/**
 * A position in a project file. `path` is "" and `line` is 0 if unknown. Line and column are
 * 1-based.
 */
export interface SourceLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** "script.js:12", "script.js" or "". */
export function formatLocation({ path, line }: SourceLocation): string {
  return path !== '' && line > 0 ? `${path}:${line}` : path;
}
