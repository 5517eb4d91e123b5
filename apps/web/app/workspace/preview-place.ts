import { choosePlace, type Place } from '@vitrine/sandbox/place';
import type { PageSettings } from '../request-context.ts';

/**
 * Preview host for this browser. Only works in a browser, since it depends on the page's
 * capabilities.
 */
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
 * Likely preview host for the browser of a request, by its User-Agent. If it turns out to be
 * another, the page corrects it.
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
