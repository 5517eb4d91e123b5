/**
 * Puts what a message quotes in curly quotes. What stands between them stays as it is, and so does a
 * quote that is code itself, or an apostrophe.
 * "`a` isn't 'b'" → "“a” isn't “b”"; `name "a"" is wrong` → the same
 */
export function quoteCode(message: string): string {
  return message.replace(quotes, (whole, a?: string, b?: string, c?: string) => {
    const code = a ?? b ?? c;
    return code === undefined ? whole : `“${code}”`;
  });
}

/** Quotes that stand as words do; backticks are never text. */
const quotes = /`([^`\n]+)`|(?<=^|[\s([{,;:])(?:"([^"\n]+)"|'([^'\n]+)')(?=$|[\s)\]},;:.!?])/g;
