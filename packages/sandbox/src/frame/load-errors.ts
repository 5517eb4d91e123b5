/**
 * Reports files that failed to load. Elements in the document fire an error event. Failures of everything else
 * (stylesheets' resources, `new Image()`, an `<iframe>`) are found in the resource timings, and elements
 * outside the document get a listener of ours.
 */
import { maxCauses, type LoadErrorCause, type LoadError } from '../runtime-error-messages.ts';
import { appOrigins } from './environment.ts';
import type { PositionMap } from './positions.ts';
import type { RuleFailures } from './tools/tool.ts';
import type { StartedWorker } from './workers/workers.ts';

type PagelessLoadError = Omit<LoadError, 'page'>;

interface LoadErrorOptions {
  positions: PositionMap;
  ruleFailures: RuleFailures | undefined;
  report(error: PagelessLoadError): void;
  /** Withdraws the errors of URLs, as written, that the document no longer requests. */
  withdraw(addresses: string[]): void;
}

export interface LoadErrors {
  /** Reports an element that fired an `error` event. */
  reportElement(element: Element): void;
  /** Reports a worker whose script failed to load. */
  reportWorker(worker: StartedWorker): void;
  /** Reports failures without an error event in the document. Call once per document. */
  watchRequests(): void;
  /** Withdraws errors that the document, which has changed in place, no longer has. */
  withdrawOutdated(): void;
}

/** A reported error of a URL that the document itself requests. */
interface ReportedUrl {
  /** URL as written. */
  written: string;
  isCurrent(references: ReadonlySet<string>): boolean;
}

/** Maximum number of reported URLs that are known, the newest. */
const maxCurrent = 100;

/** Time after which a failed request counts as one without an error event. */
const elementEventMs = 50;

export function createLoadErrors({
  positions,
  ruleFailures,
  report,
  withdraw,
}: LoadErrorOptions): LoadErrors {
  /** URLs reported by an element, without fragments. */
  const reported = new Set<string>();
  let current: ReportedUrl[] = [];
  /** The document has changed in place, so a request that fails now may be of what it was. */
  let hasChanged = false;

  const addCurrent = (written: string, isCurrent: ReportedUrl['isCurrent']) => {
    current = [...current, { written, isCurrent }].slice(-maxCurrent);
  };

  const note = (element: Element) => {
    const url = urlOf(element);
    if (isImportFailure(element, url)) return reportImports(element);
    const rule = ruleFailures?.findServedRule(url);
    reported.add(withoutFragment(url));
    const error = { ...describeElement(element, url, positions), status: 0 };
    if (element.isConnected)
      addCurrent(error.written, () => element.isConnected && urlOf(element) === url);
    if (rule !== undefined) return report({ ...error, rule });
    if (!(element instanceof HTMLScriptElement)) return report(error);
    // The browser adds the timings of the failed requests after this event.
    setTimeout(() => report({ ...error, causes: findCauses(element, url, positions) }));
  };

  /** Notes a URL that is reported, if the document may contain it. Returns false for one that it no longer has. */
  const noteReference = (written: string, requested: string, isCall = false): boolean => {
    const url = withoutFragment(requested);
    const references = findReferences();
    // Documents of the srcdoc transport can't read their linked stylesheets.
    const sheets = references.has(url)
      ? []
      : [...document.styleSheets].filter((sheet) => !sheet.disabled && !readRules(sheet));
    if (!references.has(url) && sheets.length === 0) return isCall || !hasChanged;
    addCurrent(
      written,
      (urls) =>
        urls.has(url) ||
        sheets.some((sheet) => !sheet.disabled && sheet.ownerNode?.isConnected === true),
    );
    return true;
  };

  /** Reports stylesheets of other hosts that failed, of which the timings tell nothing. */
  const reportImports = (element: Element) => {
    const imports =
      element instanceof HTMLStyleElement || element instanceof HTMLLinkElement
        ? findExternalImports(element.sheet)
        : [];
    const reportImport = (written: string) => {
      if (noteReference(written, resolve(written)))
        report({ ...createLoadError('css', written, ''), status: 0 });
    };
    // The event doesn't name the import, and a response that can't be read looks like none.
    if (imports.length === 1) imports.forEach(reportImport);
    else
      for (const written of imports)
        fetch(written, { mode: 'no-cors' }).catch(() => reportImport(written));
  };

  const checkTiming = (entry: PerformanceResourceTiming) => {
    const { name, initiatorType } = entry;
    const absent = positions.missingRequestOf(name);
    // Cross-origin responses that aren't scripts have no status for an opaque-origin document.
    const status = absent === '' ? entry.responseStatus : 404;
    // WebKit's entries have no status.
    if (!(status >= 400) && !isRefusedStyle(entry)) return;
    const written = absent === '' ? name : absent;
    const reportTiming = () => {
      const error = { ...createLoadError(initiatorType, written, positions.pathOf(name)), status };
      const isCall = initiatorType === 'fetch' || initiatorType === 'xmlhttprequest';
      if (noteReference(error.written, name, isCall)) report(error);
    };
    if (calls.has(initiatorType)) return reportTiming();
    setTimeout(() => reported.has(withoutFragment(name)) || reportTiming(), elementEventMs);
  };

  return {
    reportElement: note,
    reportWorker({ kind, url: written, call }) {
      const { base } = positions;
      const url = URL.canParse(written, base) ? new URL(written, base).href : '';
      const location = positions.findInStack(call.stack ?? '');
      report({ ...createLoadError(kind, written, positions.pathOf(url)), status: 0, location });
    },
    watchRequests() {
      watchDetached(note);
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (entry instanceof PerformanceResourceTiming && !isScriptRequest(entry))
            checkTiming(entry);
      });
      observer.observe({ type: 'resource', buffered: true });
    },
    withdrawOutdated() {
      hasChanged = true;
      if (current.length === 0) return;
      const references = findReferences();
      const kept = current.filter((each) => each.isCurrent(references));
      const addresses = new Set(current.map(({ written }) => written));
      for (const { written } of kept) addresses.delete(written);
      current = kept;
      if (addresses.size > 0) withdraw([...addresses]);
    },
  };
}

/** Absolute URLs, without fragments, in stylesheets that apply, style attributes and attributes of elements. */
function findReferences(): Set<string> {
  const sheets = [...document.styleSheets].flatMap((sheet) => findSheetReferences(sheet));
  const styles = [...document.querySelectorAll('[style]')].map(
    (element) => [element.getAttribute('style') ?? '', document.baseURI] as const,
  );
  const urls = [...sheets, ...styles].flatMap(([css, base]) =>
    Array.from(css.matchAll(/url\(\s*(?:"(.*?)"|'(.*?)'|(.*?))\s*\)/gs), (found) =>
      resolve(found[1] ?? found[2] ?? found[3] ?? '', base),
    ),
  );
  const elements = document.querySelectorAll(
    '[src], [*|href], [data], [srcset], [imagesrcset], [poster]',
  );
  for (const element of elements) urls.push(...readUrls(element).map((url) => resolve(url)));
  return new Set(urls.map(withoutFragment));
}

/** CSS that may contain URLs, each with its base URL. */
function findSheetReferences(sheet: CSSStyleSheet | null): [css: string, base: string][] {
  if (!sheet || sheet.disabled) return [];
  const base = sheet.href ?? document.baseURI;
  return [...(readRules(sheet) ?? [])].flatMap((rule): [css: string, base: string][] => [
    [rule.cssText, base],
    ...(rule instanceof CSSImportRule ? findSheetReferences(rule.styleSheet) : []),
  ]);
}

/** Initiators without an element. */
const calls: ReadonlySet<string> = new Set(['fetch', 'xmlhttprequest', 'css']);

/** Whether a script element reports the failure itself, or an `import()` rejects. */
function isScriptRequest({ initiatorType }: PerformanceResourceTiming): boolean {
  return ['script', 'other', 'navigation'].includes(initiatorType);
}

/** Creates the error for a URL; `file` is its project path, or ''. */
export function createLoadError(
  by: string,
  written: string,
  file: string,
): Omit<PagelessLoadError, 'status'> {
  return { kind: 'resource', by, written: cut(written), file };
}

function describeElement(
  element: Element,
  url: string,
  positions: PositionMap,
): Omit<PagelessLoadError, 'status'> {
  const { written, attribute } = findWritten(element, url);
  const file = positions.pathOf(url) || positions.missingRequestOf(url);
  const call = callStacks.get(element)?.stack;
  const location = call === undefined ? undefined : positions.findInStack(call);
  return {
    ...createLoadError(element.localName, written, file),
    ...(written === '' && attribute !== undefined && { attribute }),
    ...(location && location.path !== '' && { location }),
  };
}

const attributes = ['src', 'href', 'xlink:href', 'data', 'srcset', 'imagesrcset', 'poster'];

/** URL as written in an attribute of the element, and the attribute's name if it is empty. */
function findWritten(
  element: Element,
  url: string,
): { written: string; attribute?: string | undefined } {
  const present = attributes.filter((name) => element.hasAttribute(name));
  const sources = element.closest('picture')?.querySelectorAll('source') ?? [];
  const candidates = [element, ...sources].flatMap(readUrls);
  // An empty URL resolves to the page's own.
  if (present.length > 0 && candidates.every((each) => each === ''))
    return { written: '', attribute: present[0] };
  const found = candidates.find((each) => each !== '' && resolve(each) === url);
  return { written: found ?? url };
}

/** URLs in the attributes of an element, as written. */
function readUrls(element: Element): string[] {
  return attributes.flatMap((name) => {
    const value = element.getAttribute(name) ?? '';
    return name.endsWith('srcset') ? candidatesOf(value) : [value];
  });
}

/** URLs in a srcset: "a.png 1x, b.png 2x" → "a.png", "b.png" */
function candidatesOf(set: string): string[] {
  return set.split(/,\s+|,$/).map((each) => each.trim().split(/\s/)[0] ?? '');
}

function resolve(url: string, base = document.baseURI): string {
  return URL.canParse(url, base) ? new URL(url, base).href : '';
}

/** Absolute URL that an element requested; '' if none. */
function urlOf(element: Element): string {
  if (element instanceof HTMLImageElement || element instanceof HTMLMediaElement)
    return element.currentSrc || element.src;
  if (element instanceof HTMLObjectElement) return element.data;
  if (element instanceof SVGElement)
    return resolve(element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '');
  const url: unknown = Reflect.get(element, element instanceof HTMLLinkElement ? 'href' : 'src');
  return typeof url === 'string' ? url : '';
}

/** Call stack in which a script set an element's URL, for elements that load outside the document. */
const callStacks = new WeakMap<Element, Error>();

/**
 * Listens to elements outside the document, which load images and media too. Events of elements inside reach
 * the document.
 */
function watchDetached(note: (element: Element) => void): void {
  const observed = new WeakSet<Element>();
  const observe = (element: unknown) => {
    if (!(element instanceof Element)) return;
    callStacks.set(element, new Error());
    if (observed.has(element)) return;
    observed.add(element);
    element.addEventListener('error', () => {
      if (!element.isConnected) note(element);
    });
  };
  for (const { prototype } of [HTMLImageElement, HTMLMediaElement])
    for (const name of ['src', 'srcset']) {
      const property = Object.getOwnPropertyDescriptor(prototype, name);
      if (!property?.set) continue;
      const set = new Proxy(property.set, {
        apply(native, self, args) {
          observe(self);
          Reflect.apply(native, self, args);
        },
      });
      Object.defineProperty(prototype, name, { ...property, set });
    }
  window.Audio = new Proxy(Audio, {
    construct(native, args, newTarget) {
      const made: unknown = Reflect.construct(native, args, newTarget);
      observe(made);
      return Object(made);
    },
  });
}

/**
 * Responses that aren't scripts, for a `<script>` that failed: to the script itself, else to module requests of
 * the page. The error event doesn't name the import that failed, so any of these may be the cause.
 */
function findCauses(
  script: HTMLScriptElement,
  url: string,
  positions: PositionMap,
): LoadErrorCause[] {
  const causes: LoadErrorCause[] = [];
  const scripts = Array.from(document.scripts);
  const classic = new Set(scripts.map(({ type, src }) => isClassic(type) && src));
  for (const entry of performance.getEntriesByType('resource')) {
    if (!(entry instanceof PerformanceResourceTiming)) continue;
    const { name: address, initiatorType, responseStatus: status } = entry;
    if (!['script', 'other'].includes(initiatorType) || positions.isInternal(address)) continue;
    const type: unknown = Reflect.get(entry, 'contentType');
    const mediaType = typeof type === 'string' ? type : '';
    // A cross-origin module has a status, because it is fetched with CORS; a cross-origin classic script has none.
    const isMissing =
      status === 0 &&
      ([location.origin, ...appOrigins].includes(originOf(address)) || !classic.has(address));
    if (status >= 400 || isMissing || isNoScript(mediaType))
      causes.push({ address, file: positions.pathOf(address), status, mediaType });
  }
  const own = causes.find(({ address }) => address === withoutFragment(url));
  const elements = new Set(scripts.map(({ src }) => withoutFragment(src)));
  const imported = isClassic(script.type)
    ? []
    : causes.filter(({ address }) => !elements.has(address));
  return (own ? [own] : imported)
    .slice(0, maxCauses)
    .map((cause) => ({ ...cause, address: cut(cause.address) }));
}

/** Whether a media type is known, and none of what scripts can import in some way. */
function isNoScript(mediaType: string): boolean {
  return (
    mediaType !== '' &&
    !/(?:java|ecma|j|live)script|[/+]json$|^text\/css$|^application\/wasm$/.test(mediaType)
  );
}

/** Whether a same-origin stylesheet was refused for its MIME type: it has no status. Cross-origin ones may hide it. */
function isRefusedStyle({
  name,
  initiatorType,
  responseStatus,
}: PerformanceResourceTiming): boolean {
  const isStyle = initiatorType === 'css' || initiatorType === 'link';
  return isStyle && responseStatus === 0 && originOf(name) === location.origin;
}

/**
 * URLs of other origins that a stylesheet imports, as it writes them, also by its imports. Those that the
 * timings tell the status of are left out.
 */
function findExternalImports(sheet: CSSStyleSheet | null): string[] {
  return [...((sheet && readRules(sheet)) ?? [])].flatMap((rule) => {
    if (!(rule instanceof CSSImportRule)) return [];
    const url = rule.styleSheet?.href ?? resolve(rule.href);
    if (originOf(url) === location.origin || !/^https?:/.test(url))
      return findExternalImports(rule.styleSheet);
    const hasStatus = performance
      .getEntriesByName(url, 'resource')
      .some((entry) => entry instanceof PerformanceResourceTiming && entry.responseStatus > 0);
    return hasStatus ? [] : [rule.href];
  });
}

/** Rules of a stylesheet; undefined for one of another origin. */
function readRules(sheet: CSSStyleSheet): CSSRuleList | undefined {
  try {
    return sheet.cssRules;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SecurityError') return undefined;
    throw error;
  }
}

/** Whether a stylesheet itself loaded, so that only an import of it failed. */
function isImportFailure(element: Element, url: string): boolean {
  if (element instanceof HTMLStyleElement) return true;
  if (!(element instanceof HTMLLinkElement) || !element.relList.contains('stylesheet'))
    return false;
  const [entry] = performance.getEntriesByName(url, 'resource').slice(-1);
  const isLoaded = entry instanceof PerformanceResourceTiming && entry.responseStatus === 200;
  return isLoaded || url.startsWith('blob:');
}

function isClassic(type: string): boolean {
  return type.trim().toLowerCase() !== 'module';
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

function cut(text: string): string {
  return text.slice(0, 1_000);
}
