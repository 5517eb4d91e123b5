import { detectPreviewHost, type PreviewHost } from '@vitrine/sandbox/preview-host';
import type { PageSettings } from '../../request-context.ts';

/**
 * Preview host for this browser. Only works in a browser, since it depends on the page's
 * capabilities.
 */
export function choosePagePreviewHost(page: PageSettings): PreviewHost {
  return detectPreviewHost({
    appOrigin: location.origin,
    userAgent: navigator.userAgent,
    isSecureContext,
    hasServiceWorker: 'serviceWorker' in navigator,
    ...(page.previewHost !== null && { separateHost: page.previewHost }),
  });
}

/**
 * Likely preview host for the browser of a request, by its User-Agent. If it turns out to be
 * another, the page corrects it.
 */
export function guessPreviewHost(
  request: Request,
  origin: string,
  page: PageSettings,
): PreviewHost {
  return detectPreviewHost({
    appOrigin: origin,
    userAgent: request.headers.get('user-agent') ?? '',
    isSecureContext: origin.startsWith('https:') || new URL(origin).hostname.endsWith('localhost'),
    hasServiceWorker: true,
    ...(page.previewHost !== null && { separateHost: page.previewHost }),
  });
}
