const [quote, backslash] = [0x22, 0x5c];
const openingBrackets = new Set([0x5b, 0x7b]);
const closingBrackets = new Set([0x5d, 0x7d]);

/**
 * Whether JSON is nested deeper than `limit`. Checked before parsing, as deeply nested values might
 * not be serializable again.
 */
export function isDeeperThan(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (openingBrackets.has(byte)) {
      depth++;
      if (depth > limit) return true;
    } else if (closingBrackets.has(byte)) depth--;
  }
  return false;
}
