/**
 * Replaces the quotes around code in a message by curly quotes. The quoted text, quotes that are part
 * of code, and apostrophes stay unchanged.
 * "`a` isn't 'b'" → "“a” isn't “b”"; `name "a"" is wrong` → unchanged
 */
export function quoteCode(message: string): string {
  return message.replace(quotes, (whole, a?: string, b?: string, c?: string) => {
    const code = a ?? b ?? c;
    return code === undefined ? whole : `“${code}”`;
  });
}

/** Quotes around a whole word or phrase. Backticks always quote; ' and " only next to punctuation. */
const quotes = /`([^`\n]+)`|(?<=^|[\s([{,;:])(?:"([^"\n]+)"|'([^'\n]+)')(?=$|[\s)\]},;:.!?])/g;
