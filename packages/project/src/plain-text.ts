/** Normalizes text for storage in documents: "a\r\nb\0" → "a\nb\uFFFD". */
export function toPlainText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}
