/**
 * Headers of every response of a preview's origin, the same from the server and the service worker. Reasons
 * are in docs/protocol.md, "Headers".
 */

import { permissions } from './permissions.ts';

/** Features that no project gets. */
const deniedFeatures = [
  'payment',
  'publickey-credentials-get',
  'usb',
  'serial',
  'hid',
  'idle-detection',
  'local-fonts',
  'storage-access',
  'window-management',
] as const;

/** Creates the policy; `allowlist` is that of the features that users can allow. */
function createPermissionsPolicy(allowlist: '()' | '(self)'): string {
  return [
    ...permissions.map(({ name }) => `${name}=${allowlist}`),
    ...deniedFeatures.map((feature) => `${feature}=()`),
  ].join(', ');
}

const commonHeaders = {
  // Gives a same-site preview its own process in Chromium; one response without it undoes that.
  'Origin-Agent-Cluster': '?1',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Permissions-Policy': createPermissionsPolicy('()'),
} as const;

/**
 * Permissions-Policy of a project's page. In a frame, the page's own origin may have what the `allow` of the app's frame
 * gives it, and pass nothing on to frames of other origins. In a tab of its own, nobody has allowed anything. SB-31
 *
 * @param destination The request's destination, which no page can set: `Sec-Fetch-Dest` or `Request.destination`.
 */
export function pagePermissionsPolicy(destination: string | null): string {
  const isFrame = destination === 'iframe' || destination === 'frame';
  return createPermissionsPolicy(isFrame ? '(self)' : '()');
}

/** Who may load a file from another origin: anyone or, for private projects, no one. */
export type ResourceAudience = 'anyone' | 'same-origin';

/** Headers of a document. The app's pages and pages of the same project may frame it. */
export function documentHeaders(
  appOrigins: readonly string[],
  audience: ResourceAudience = 'anyone',
): Record<string, string> {
  return fileHeaders('text/html; charset=utf-8', appOrigins, audience);
}

export function fileHeaders(
  mediaType: string,
  appOrigins: readonly string[],
  audience: ResourceAudience = 'anyone',
): Record<string, string> {
  return {
    ...commonHeaders,
    'Content-Type': mediaType,
    'Cache-Control': audience === 'anyone' ? 'no-cache' : 'private, no-cache',
    'Content-Security-Policy': `frame-ancestors 'self' ${appOrigins.join(' ')}`,
    'Cross-Origin-Resource-Policy': audience === 'anyone' ? 'cross-origin' : 'same-origin',
  };
}
