/** What two texts differ in, in UTF-16 units: `start` to `end` of the first is `start` to `newEnd` of the second. */
export interface Difference {
  start: number;
  end: number;
  newEnd: number;
}

/** The one stretch between what both begin and both end with; an empty one of equal texts. */
export function findDifference(before: string, after: string): Difference {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let same = 0;
  while (
    same < most - start &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  )
    same += 1;
  return { start, end: before.length - same, newEnd: after.length - same };
}
