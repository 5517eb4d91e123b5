/** Creates a random id of 32 hex digits. Over plain HTTP there is no `crypto.randomUUID`. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Formats an id as a uuid: "0fa1…" (32 hex digits) → "0fa1…-…-…-…-…". A uuid stays unchanged. */
export function toUuid(id: string): string {
  const digits = id.replaceAll('-', '');
  return [0, 8, 12, 16, 20]
    .map((from, index, starts) => digits.slice(from, starts[index + 1]))
    .join('-');
}
