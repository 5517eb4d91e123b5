/** Put in by the server when it builds this script. */
declare const APP_ORIGINS: readonly string[];

/**
 * Where a visit is sent that opens a working copy in a tab while no page of the app shows it: to the
 * app, which says whose project it is. Undefined for every other request. SB-17
 */
export async function findDetour(
  { mode, destination }: Request,
  clients: Clients,
): Promise<string | undefined> {
  if (mode !== 'navigate' || destination !== 'document') return undefined;
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isShown = windows.some(({ frameType }) => frameType === 'nested');
  return isShown ? undefined : appAddress(location.hostname);
}

/** "draft--abc.…" → the draft, "edit--abc.…" → the project, "tests--abc.…" → the first page. */
function appAddress(hostname: string): string {
  const [, kind, name = ''] = /^(draft|edit)--([a-z0-9]+)\./.exec(hostname) ?? [];
  const path = kind === 'draft' ? `/draft/${name}` : kind === 'edit' ? `/p/${name}` : '/';
  return `${APP_ORIGINS[0] ?? ''}${path}`;
}
