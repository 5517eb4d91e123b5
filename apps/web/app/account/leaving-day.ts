/** "2026-12-06T10:00:00Z" → "6 December 2026": the same on the server and in every browser. */
export function leavingDay(leavesAt: string): string {
  return new Date(leavesAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
