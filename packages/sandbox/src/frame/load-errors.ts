/**
 * Reports files that the page asked for and did not get. Elements of the document say so by an event.
 * What no element of the document asked for (a stylesheet, `new Image()`, an `<iframe>`) is found
 * among the requests of the document, and an element outside of it has a listener of ours.
 */
import { mostCauses, type UnloadedCause, type UnloadedProblem } from '../problem-messages.ts';
import { appOrigins } from './environment.ts';
import type { Positions } from './positions.ts';
import type { FailedOnPurpose } from './tool.ts';
import type { StartedWorker } from './workers.ts';

type Unloaded = Omit<UnloadedProblem, 'page'>;

interface LoadErrorOptions {
  positions: Positions;
  onPurpose: FailedOnPurpose | undefined;
  tell(said: Unloaded): void;
}

interface LoadErrors {
  /** Reports an element that has had an `error` event. */
  note(element: Element): void;
  /** Reports a worker whose script could not be loaded. */
  noteWorker(worker: StartedWorker): void;
  /** Reports what elements do not tell of; once in a document. */
  watchRequests(): void;
}

/** Until a request counts as one that no element tells of. */
const elementTellsWithinMs = 50;

export function createLoadErrors({ positions, onPurpose, tell }: LoadErrorOptions): LoadErrors {
  /** Addresses that an element has told of, without fragments. */
  const noted = new Set<string>();

  const note = (element: Element) => {
    const address = addressOf(element);
    if (lacksImport(element, address)) return;
    const rule = onPurpose?.ofServed(address);
    noted.add(withoutFragment(address));
    const said = { ...describeElement(element, address, positions), status: 0 };
    if (rule !== undefined) return tell({ ...said, rule });
    if (!(element instanceof HTMLScriptElement)) return tell(said);
    // The browser tells of the requests that ended this once it is out of here.
    setTimeout(() => tell({ ...said, causes: findCauses(positions) }));
  };

  const take = (entry: PerformanceResourceTiming) => {
    const { name, initiatorType } = entry;
    const absent = positions.missedPathOf(name);
    // Of what another origin answers to no script, a document without one is told no status.
    const status = absent === '' ? entry.responseStatus : 404;
    if (status < 400 && !isRefusedStyle(entry)) return;
    const written = absent === '' ? name : absent;
    const report = () =>
      tell({ ...unloaded(initiatorType, written, positions.pathOf(name)), status });
    if (calls.has(initiatorType)) return report();
    setTimeout(() => noted.has(withoutFragment(name)) || report(), elementTellsWithinMs);
  };

  return {
    note,
    noteWorker({ kind, written, call }) {
      const { base } = positions;
      const address = URL.canParse(written, base) ? new URL(written, base).href : '';
      const place = positions.findInStack(call.stack ?? '');
      tell({ ...unloaded(kind, written, positions.pathOf(address)), status: 0, place });
    },
    watchRequests() {
      watchDetached(note);
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (entry instanceof PerformanceResourceTiming && !isOfScripts(entry)) take(entry);
      });
      observer.observe({ type: 'resource', buffered: true });
    },
  };
}

/** What no element asks for. */
const calls: ReadonlySet<string> = new Set(['fetch', 'xmlhttprequest', 'css']);

/** The element of a script tells of its imports as well, and an `import()` is rejected. */
function isOfScripts({ initiatorType }: PerformanceResourceTiming): boolean {
  return ['script', 'other', 'navigation'].includes(initiatorType);
}

/** `file` is the project's path of it, or ''. */
export function unloaded(by: string, written: string, file: string): Omit<Unloaded, 'status'> {
  return { kind: 'resource', by, written: cut(written), file };
}

function describeElement(
  element: Element,
  address: string,
  positions: Positions,
): Omit<Unloaded, 'status'> {
  const { written, attribute } = findWritten(element, address);
  const file = positions.pathOf(address) || positions.missedPathOf(address);
  const call = calledAt.get(element)?.stack;
  const place = call === undefined ? undefined : positions.findInStack(call);
  return {
    ...unloaded(element.localName, written, file),
    ...(written === '' && attribute !== undefined && { attribute }),
    ...(place && place.path !== '' && { place }),
  };
}

const attributes = ['src', 'href', 'xlink:href', 'data', 'srcset', 'imagesrcset', 'poster'];

/** The address as the element has it in an attribute, and that attribute where it is empty. */
function findWritten(
  element: Element,
  address: string,
): { written: string; attribute?: string | undefined } {
  const present = attributes.filter((name) => element.hasAttribute(name));
  const sources = element.closest('picture')?.querySelectorAll('source') ?? [];
  const candidates = [element, ...sources].flatMap((each) =>
    attributes.flatMap((name) => {
      const value = each.getAttribute(name) ?? '';
      return name.endsWith('srcset') ? candidatesOf(value) : [value];
    }),
  );
  // An empty one is resolved to the address of the page.
  if (present.length > 0 && candidates.every((each) => each === ''))
    return { written: '', attribute: present[0] };
  const found = candidates.find((each) => each !== '' && resolve(each) === address);
  return { written: found ?? address };
}

/** "a.png 1x, b.png 2x" → "a.png", "b.png" */
function candidatesOf(set: string): string[] {
  return set.split(/,\s+|,$/).map((each) => each.trim().split(/\s/)[0] ?? '');
}

function resolve(address: string): string {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href : '';
}

/** The absolute address that an element asked for; '' for none. */
function addressOf(element: Element): string {
  if (element instanceof HTMLImageElement || element instanceof HTMLMediaElement)
    return element.currentSrc || element.src;
  if (element instanceof HTMLObjectElement) return element.data;
  if (element instanceof SVGElement)
    return resolve(element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '');
  const address: unknown = Reflect.get(
    element,
    element instanceof HTMLLinkElement ? 'href' : 'src',
  );
  return typeof address === 'string' ? address : '';
}

/** Where a script gave an element its address, for elements that load outside of the document. */
const calledAt = new WeakMap<Element, Error>();

/**
 * Hears elements that are not in the document, which load pictures and sounds all the same. The
 * events of others come by way of the document.
 */
function watchDetached(note: (element: Element) => void): void {
  const heard = new WeakSet<Element>();
  const hear = (element: unknown) => {
    if (!(element instanceof Element)) return;
    calledAt.set(element, new Error());
    if (heard.has(element)) return;
    heard.add(element);
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
          hear(self);
          Reflect.apply(native, self, args);
        },
      });
      Object.defineProperty(prototype, name, { ...property, set });
    }
  window.Audio = new Proxy(Audio, {
    construct(native, args, newTarget) {
      const made: unknown = Reflect.construct(native, args, newTarget);
      hear(made);
      return Object(made);
    },
  });
}

/**
 * What the page's modules asked for and got no script for. The error of a `<script>` names none of
 * its imports, of which any may be why.
 */
function findCauses(positions: Positions): UnloadedCause[] {
  const causes: UnloadedCause[] = [];
  const classic = new Set(Array.from(document.scripts, ({ type, src }) => isClassic(type) && src));
  for (const entry of performance.getEntriesByType('resource')) {
    if (!(entry instanceof PerformanceResourceTiming)) continue;
    const { name: address, initiatorType, responseStatus: status } = entry;
    if (!['script', 'other'].includes(initiatorType) || positions.isOurs(address)) continue;
    const type: unknown = Reflect.get(entry, 'contentType');
    const mediaType = typeof type === 'string' ? type : '';
    // A module of another host has a status, as it is asked for with CORS; another script has none.
    const isMissing =
      status === 0 &&
      ([location.origin, ...appOrigins].includes(originOf(address)) || !classic.has(address));
    if (status >= 400 || isMissing || /^text\/(?:plain|html)/.test(mediaType))
      causes.push({ address: cut(address), file: positions.pathOf(address), status, mediaType });
  }
  return causes.slice(0, mostCauses);
}

/** What is answered as no stylesheet has no status; of another host it may be one that does not say. */
function isRefusedStyle({
  name,
  initiatorType,
  responseStatus,
}: PerformanceResourceTiming): boolean {
  const isStyle = initiatorType === 'css' || initiatorType === 'link';
  return isStyle && responseStatus === 0 && originOf(name) === location.origin;
}

/** A stylesheet that came: only one that it imports did not, and is told of as a request. */
function lacksImport(element: Element, address: string): boolean {
  if (element instanceof HTMLStyleElement) return true;
  if (!(element instanceof HTMLLinkElement) || !element.relList.contains('stylesheet'))
    return false;
  const [entry] = performance.getEntriesByName(address, 'resource').slice(-1);
  const hasCome = entry instanceof PerformanceResourceTiming && entry.responseStatus === 200;
  return hasCome || address.startsWith('blob:');
}

function isClassic(type: string): boolean {
  return type.trim().toLowerCase() !== 'module';
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}

function cut(text: string): string {
  return text.slice(0, 1_000);
}
