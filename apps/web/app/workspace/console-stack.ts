/** One call on the way to somewhere; `path` is an address where it is none of the project's. */
export interface StackFrame {
  readonly words: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** "at f (src/a.ts:3:14)" and "f@src/a.ts:3:14" → f at src/a.ts, 3, 14. Lines without a place are the message. */
export function readStack(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((text) => {
    const found = /^\s*(?:at\s+)?(.*?)[\s(@]*([^\s()@]+):(\d+):(\d+)\)?$/.exec(text);
    if (!found) return [];
    const [, name = '', path = '', line, column] = found;
    return [{ words: name || '(anonymous)', path, line: Number(line), column: Number(column) }];
  });
}
