/** "2026-12-06T10:00:00Z" → "December 6, 2026", in UTC, so that server and browser agree. */
export function formatDeletionDate(leavesAt: string): string {
  return new Date(leavesAt).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
}
