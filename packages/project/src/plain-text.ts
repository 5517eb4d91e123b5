/** "a\r\nb\0" → "a\nb\uFFFD": text as documents hold it. */
export function plainText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}
