/** One call on the way to somewhere; `path` is an address where it is none of the project's. */
export interface StackFrame {
  readonly words: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * "at f (src/a.ts:3:14)" and "f@src/a.ts:3:14" → f at src/a.ts, 3, 14. An address may have an `@` in
 * it, as those of packages have. Lines without a place are the message.
 */
export function readStack(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((text) => {
    const found = chromiumFrame.exec(text) ?? firefoxFrame.exec(text);
    if (!found) return [];
    const [, name, path = '', line, column] = found;
    return [{ words: name || '(anonymous)', path, line: Number(line), column: Number(column) }];
  });
}

const chromiumFrame = /^\s*at (?:(.*?) \()?([^\s()]+):(\d+):(\d+)\)?$/;
const firefoxFrame = /^\s*(?:([^@]*)@)?([^\s()]+):(\d+):(\d+)$/;

/**
 * "http://host/npm/@scope/name@1.2.3~HASH/a.js" → "@scope/name@1.2.3/a.js", and of other addresses
 * the last two parts.
 */
export function shortAddress(address: string): string {
  const plain = address.replace(/[?#].*$/, '');
  const [, ofPackage] = /^https?:\/\/[^/]+\/npm\/(.+)$/.exec(plain) ?? [];
  return ofPackage?.replace(/~[^/]*/g, '') ?? plain.split('/').slice(-2).join('/');
}
