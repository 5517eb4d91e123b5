/** A place in a project's file; `path` is "" and `line` 0 where it cannot be told. */
export interface CodePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** "script.js:12", "script.js" or "". */
export function placeWords({ path, line }: CodePlace): string {
  return path !== '' && line > 0 ? `${path}:${line}` : path;
}
