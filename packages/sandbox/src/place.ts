/** Where a preview lives: on an origin of its own, or in a document that has none. */
export type Place =
  /** Each key has an origin, with a service worker where files are edited. */
  | { path: 'served'; origin(key: string): string }
  /** `origin` serves `/__vitrine/portable`; `sharesProcess` says that a hang there freezes this page too. */
  | { path: 'portable'; origin: string; sharesProcess: boolean };

export interface PlaceOptions {
  appOrigin: string;
  /** Host and port of the second site for previews. */
  previewHost?: string;
  userAgent: string;
  /** `isSecureContext` of the app's page. */
  secureContext: boolean;
  /** Whether the app's page has service workers. */
  serviceWorker: boolean;
}

/**
 * Chooses by what was measured in each browser (docs/protocol.md, "Places"). Chromium refuses
 * service workers to frames of other sites and gives the same site a process of its own when asked;
 * Firefox is the other way round. Everything else gets the portable path.
 */
export function choosePlace(options: PlaceOptions): Place {
  const app = new URL(options.appOrigin);
  const browser = findBrowser(options.userAgent);
  const host = findServedHost(app, browser, options);
  if (host === undefined || !options.secureContext || !options.serviceWorker)
    return choosePortable(app, browser, options);
  return { path: 'served', origin: (key) => `${app.protocol}//${key}.${host}` };
}

type Browser = 'chromium' | 'firefox' | 'other';

/** Browsers on iOS name themselves CriOS and FxiOS, and are WebKit. */
function findBrowser(userAgent: string): Browser {
  if (/\bFirefox\//.test(userAgent)) return 'firefox';
  return /\b(?:Chrome|Chromium|HeadlessChrome)\//.test(userAgent) ? 'chromium' : 'other';
}

function findServedHost(
  app: URL,
  browser: Browser,
  { previewHost }: PlaceOptions,
): string | undefined {
  if (isAddress(app.hostname) || app.hostname === 'localhost') return undefined;
  if (browser === 'chromium') return app.host;
  return browser === 'firefox' ? previewHost : undefined;
}

/** From another site wherever there is one: Firefox then gives it a process of its own. */
function choosePortable(app: URL, browser: Browser, options: PlaceOptions): Place {
  const host = findOtherSite(app, options.previewHost);
  return {
    path: 'portable',
    origin: `${app.protocol}//${host ?? app.host}`,
    // Chromium isolates every sandboxed frame; of WebKit nothing has been measured.
    sharesProcess: browser === 'other' || (browser === 'firefox' && host === undefined),
  };
}

function findOtherSite(app: URL, previewHost: string | undefined): string | undefined {
  const port = app.port === '' ? '' : `:${app.port}`;
  if (app.hostname === 'localhost') return `127.0.0.1${port}`;
  if (app.hostname === '127.0.0.1') return `localhost${port}`;
  // Somebody who came by an address may not be able to look up any name.
  return isAddress(app.hostname) ? undefined : previewHost;
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
