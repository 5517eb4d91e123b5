/** A changed range, in UTF-16 code units: `start` to `end` in the old text, to `newEnd` in the new. */
export interface ChangedRange {
  start: number;
  end: number;
  newEnd: number;
}

/** Finds the range between the common prefix and suffix of two texts. Empty if the texts are equal. */
export function findChangedRange(before: string, after: string): ChangedRange {
  const maxPrefix = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxPrefix && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let suffix = 0;
  while (
    suffix < maxPrefix - start &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  )
    suffix += 1;
  return { start, end: before.length - suffix, newEnd: after.length - suffix };
}
