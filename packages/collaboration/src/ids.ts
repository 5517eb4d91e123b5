/** A random id of 32 hexadecimal digits; `crypto.randomUUID` is missing over plain HTTP. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** "0fa1…" of 32 digits → "0fa1…-…-…-…-…", as the database writes a uuid. */
export function toUuid(id: string): string {
  const digits = id.replaceAll('-', '');
  return [0, 8, 12, 16, 20]
    .map((from, index, starts) => digits.slice(from, starts[index + 1]))
    .join('-');
}
