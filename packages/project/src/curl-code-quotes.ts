/**
 * Replaces the quotes around code in a message with curly quotes. The quoted text, quotes that are
 * part of code, and apostrophes stay unchanged:
 *
 *   `a` isn't 'b'       →  “a” isn't “b”
 *   name "a"" is wrong  →  unchanged
 */
export function curlCodeQuotes(message: string): string {
  return message.replace(
    quotedCode,
    (whole, backticks?: string, double?: string, single?: string) => {
      const code = backticks ?? double ?? single;
      return code === undefined ? whole : `“${code}”`;
    },
  );
}

/** Quotes around a whole word or phrase. Backticks always quote; ' and " only next to punctuation. */
const quotedCode = /`([^`\n]+)`|(?<=^|[\s([{,;:])(?:"([^"\n]+)"|'([^'\n]+)')(?=$|[\s)\]},;:.!?])/g;
