/** Where previews run: on an isolated origin each, or in documents with an opaque origin. */
export type PreviewHost =
  /** Each key has an origin of its own, with a service worker if files can be edited. */
  | { transport: 'isolated-origin'; origin(key: string): string }
  /** `origin` serves `/__vitrine/srcdoc`. `sharesProcess`: an infinite loop there freezes the app's page too. */
  | { transport: 'srcdoc'; origin: string; sharesProcess: boolean };

export interface PreviewHostOptions {
  appOrigin: string;
  /** Host and port of the separate site for previews. */
  separateHost?: string;
  userAgent: string;
  /** `isSecureContext` of the app's page. */
  isSecureContext: boolean;
  /** Whether the app's page supports service workers. */
  hasServiceWorker: boolean;
}

/**
 * Chooses by what was measured in each browser (docs/protocol.md, "Preview hosts"). Chromium refuses service
 * workers to cross-site frames and gives same-site origins a process of their own on request; in Firefox it
 * is the other way round. All other browsers get the srcdoc transport: in WebKit every frame shares the app's process
 * (docs/decisions/0013-previews-in-webkit.md), and only srcdoc previews have loop guards.
 */
export function detectPreviewHost(options: PreviewHostOptions): PreviewHost {
  const app = new URL(options.appOrigin);
  const browser = findBrowser(options.userAgent);
  const host = findIsolatedHost(app, browser, options);
  if (host === undefined || !options.isSecureContext || !options.hasServiceWorker)
    return chooseSrcdoc(app, browser, options);
  return { transport: 'isolated-origin', origin: (key) => `${app.protocol}//${key}.${host}` };
}

type Browser = 'chromium' | 'firefox' | 'other';

/** Browsers on iOS identify as CriOS and FxiOS and are WebKit. */
function findBrowser(userAgent: string): Browser {
  if (/\bFirefox\//.test(userAgent)) return 'firefox';
  return /\b(?:Chrome|Chromium|HeadlessChrome)\//.test(userAgent) ? 'chromium' : 'other';
}

function findIsolatedHost(
  app: URL,
  browser: Browser,
  { separateHost }: PreviewHostOptions,
): string | undefined {
  if (isIpAddress(app.hostname) || app.hostname === 'localhost') return undefined;
  if (browser === 'chromium') return app.host;
  return browser === 'firefox' ? separateHost : undefined;
}

/** Srcdoc previews run on a separate site if there is one; Firefox then gives them a process of their own. */
function chooseSrcdoc(app: URL, browser: Browser, options: PreviewHostOptions): PreviewHost {
  const host = findOtherSite(app, options.separateHost);
  return {
    transport: 'srcdoc',
    origin: `${app.protocol}//${host ?? app.host}`,
    // Chromium isolates every sandboxed frame, WebKit none.
    sharesProcess: browser === 'other' || (browser === 'firefox' && host === undefined),
  };
}

function findOtherSite(app: URL, previewHost: string | undefined): string | undefined {
  const port = app.port === '' ? '' : `:${app.port}`;
  if (app.hostname === 'localhost') return `127.0.0.1${port}`;
  if (app.hostname === '127.0.0.1') return `localhost${port}`;
  // A user who opened the app by IP address may not be able to resolve host names.
  return isIpAddress(app.hostname) ? undefined : previewHost;
}

function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
