/** A stack frame. `path` is a URL if it isn't a project file. */
export interface StackFrame {
  readonly functionName: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Parses a stack trace of Chromium or Firefox: "at f (src/a.ts:3:14)" and "f@src/a.ts:3:14" → f,
 * src/a.ts, 3, 14. URLs may contain an `@`, as those of packages do. Lines without a location are
 * part of the message and skipped.
 */
export function parseStack(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((text) => {
    const found = chromiumFrame.exec(text) ?? firefoxFrame.exec(text);
    if (!found) return [];
    const [, name, path = '', line, column] = found;
    return [
      { functionName: name || '(anonymous)', path, line: Number(line), column: Number(column) },
    ];
  });
}

const chromiumFrame = /^\s*at (?:(.*?) \()?([^\s()]+):(\d+):(\d+)\)?$/;
const firefoxFrame = /^\s*(?:([^@]*)@)?([^\s()]+):(\d+):(\d+)$/;

/**
 * "http://host/npm/@scope/name@1.2.3~HASH/a.js" → "@scope/name@1.2.3/a.js"; other URLs → their last
 * two path segments.
 */
export function shortenScriptUrl(address: string): string {
  const plain = address.replace(/[?#].*$/, '');
  const [, ofPackage] = /^https?:\/\/[^/]+\/npm\/(.+)$/.exec(plain) ?? [];
  return ofPackage?.replace(/~[^/]*/g, '') ?? plain.split('/').slice(-2).join('/');
}
