import { choosePlace, type Place } from '@vitrine/sandbox/place';
import type { PageSettings } from '../request-context.ts';

/** Where this browser's previews live. Only for the browser: it asks what the page may do. */
export function choosePagePlace(page: PageSettings): Place {
  return choosePlace({
    appOrigin: location.origin,
    userAgent: navigator.userAgent,
    secureContext: isSecureContext,
    serviceWorker: 'serviceWorker' in navigator,
    ...(page.previewHost !== null && { previewHost: page.previewHost }),
  });
}

/**
 * Where a browser's previews most likely live, from what it says of itself in a request; where it
 * turns out otherwise, the page asks again.
 */
export function guessPlace(request: Request, origin: string, page: PageSettings): Place {
  return choosePlace({
    appOrigin: origin,
    userAgent: request.headers.get('user-agent') ?? '',
    secureContext: origin.startsWith('https:') || new URL(origin).hostname.endsWith('localhost'),
    serviceWorker: true,
    ...(page.previewHost !== null && { previewHost: page.previewHost }),
  });
}
