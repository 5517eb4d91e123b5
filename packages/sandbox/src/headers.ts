/**
 * Headers of everything that a preview's origin answers, the same from the server and from the
 * service worker. Reasons stand in docs/protocol.md, "Headers".
 */

const everywhere = {
  // A process of its own for the same-site preview, in Chromium; one answer without it undoes that.
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

/** Who may load a file into a page of another origin: all, or for private projects nobody. */
export type Audience = 'anyone' | 'same-origin';

/** Documents may be framed by the app's pages, and by pages of the same project. */
export function documentHeaders(
  appOrigins: readonly string[],
  audience: Audience = 'anyone',
): Record<string, string> {
  return fileHeaders('text/html; charset=utf-8', appOrigins, audience);
}

export function fileHeaders(
  mediaType: string,
  appOrigins: readonly string[],
  audience: Audience = 'anyone',
): Record<string, string> {
  return {
    ...everywhere,
    'Content-Type': mediaType,
    'Cache-Control': audience === 'anyone' ? 'no-cache' : 'private, no-cache',
    'Content-Security-Policy': `frame-ancestors 'self' ${appOrigins.join(' ')}`,
    'Cross-Origin-Resource-Policy': audience === 'anyone' ? 'cross-origin' : 'same-origin',
  };
}
