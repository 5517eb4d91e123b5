/** A part of a file, in bytes. `to` is inclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Parses a `Range` header (RFC 9110, section 14): `bytes=0-9`, `bytes=10-` or `bytes=-5`. Undefined,
 * which asks for the whole file, without a range and with several.
 *
 * @param size Size of the file in bytes.
 */
export function parseByteRange(
  header: string | null,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  const isEmpty = first === '' && Number(last) === 0;
  return isEmpty || from > to ? 'unsatisfiable' : { from, to };
}
