/** Maximum depth. Deeper JSON gets a less exact error position. */
const maxDepth = 500;

const token =
  /[\t\n\r ]*("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,])/y;

/** Returns the index of the first JSON error, which not all browsers report; the length if there is none. */
export function findJsonErrorIndex(text: string): number {
  let at = 0;
  const fail = (index: number): never => {
    throw new JsonError(index);
  };
  const next = (): string => {
    token.lastIndex = at;
    const [whole, found] = token.exec(text) ?? [];
    if (whole === undefined || found === undefined) return fail(skipSpace(text, at));
    at += whole.length;
    return found;
  };
  const expect = (isExpected: (found: string) => boolean): string => {
    const before = at;
    const found = next();
    return isExpected(found) ? found : fail(skipSpace(text, before));
  };
  const readValue = (depth: number): void => {
    if (depth > maxDepth) fail(at);
    const found = expect((value) => !/^[\]}:,]$/.test(value));
    if (found === '[') readList(']', () => readValue(depth + 1));
    if (found === '{') readList('}', () => readMember(depth + 1));
  };
  const readMember = (depth: number) => {
    expect((key) => key.startsWith('"'));
    expect((colon) => colon === ':');
    readValue(depth);
  };
  const readList = (end: string, readItem: () => void) => {
    const before = at;
    if (next() === end) return;
    at = before;
    do readItem();
    while (expect((mark) => mark === ',' || mark === end) === ',');
  };
  try {
    readValue(0);
    return skipSpace(text, at);
  } catch (error) {
    if (error instanceof JsonError) return error.index;
    throw error;
  }
}

class JsonError extends Error {
  readonly index: number;
  constructor(index: number) {
    super();
    this.index = index;
  }
}

function skipSpace(text: string, from: number): number {
  const space = /[\t\n\r ]*/y;
  space.lastIndex = from;
  return from + (space.exec(text)?.[0].length ?? 0);
}
