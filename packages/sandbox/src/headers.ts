/**
 * Headers of every response of a preview's origin, the same from the server and the service worker. Reasons
 * are in docs/protocol.md, "Headers".
 */

const commonHeaders = {
  // Gives a same-site preview its own process in Chromium; one response without it undoes that.
  'Origin-Agent-Cluster': '?1',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Permissions-Policy': [
    'camera',
    'microphone',
    'geolocation',
    'display-capture',
    'payment',
    'publickey-credentials-get',
    'usb',
    'serial',
    'hid',
    'midi',
    'idle-detection',
    'local-fonts',
    'storage-access',
    'clipboard-read',
    'window-management',
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
} as const;

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
