/** Origins of the app; inserted by the server. */
declare const APP_ORIGINS: readonly string[];

/**
 * Finds the redirect of a visit that opens a live copy in a tab while no page of the app shows it: to the app, which
 * says whose project it is. Undefined for any other request. SB-17
 */
export async function findVisitRedirect(
  { mode, destination }: Request,
  clients: Clients,
): Promise<string | undefined> {
  if (mode !== 'navigate' || destination !== 'document') return undefined;
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isOpenInApp = windows.some(({ frameType }) => frameType === 'nested');
  return isOpenInApp ? undefined : appUrl(location.hostname);
}

/** URL in the app: "draft--abc.…" → the draft, "edit--abc.…" → the project, "tests--abc.…" → the home page. */
function appUrl(hostname: string): string {
  const [, kind, name = ''] = /^(draft|edit)--([a-z0-9]+)\./.exec(hostname) ?? [];
  const path = kind === 'draft' ? `/draft/${name}` : kind === 'edit' ? `/p/${name}` : '/';
  return `${APP_ORIGINS[0] ?? ''}${path}`;
}
