/**
 * Other realms of the page: same-origin frames and workers. Their log entries and uncaught errors go through the
 * page's agent, which limits all of them together. Cross-origin frames aren't observed.
 */
import type { ConsoleEntry, FromFrame } from '../protocol.ts';
import type { TableEntry } from './console/object-table.ts';
import { onWorkerStarted, type StartedWorker } from './workers/workers.ts';

/** Messages that other realms may send. */
type RealmReport = Extract<
  FromFrame,
  { type: 'console' | 'dropped' | 'problem' | 'rejection-handled' }
>;

export function isRealmReport(message: FromFrame): message is RealmReport {
  return ['console', 'dropped', 'problem', 'rejection-handled'].includes(message.type);
}

interface WrappedReport {
  __vitrine: RealmReport;
  /** URL of a shared worker; '' for other realms. */
  from: string;
}

export const sharedWorkerChannel = '__vitrine-shared-workers';

export function wrapReport(message: FromFrame, from: string) {
  return { __vitrine: message, from };
}

function isReport(data: unknown): data is WrappedReport {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, '__vitrine');
}

/** Handles a report; `realm` names its origin: "worker counter.js". */
type ReportHandler = (report: RealmReport, realm: string) => void;

/** Listens to workers that the page starts from now on, before the page's own listeners. */
export function watchWorkers(take: ReportHandler): void {
  let channel: BroadcastChannel | undefined;
  const shared = new Map<string, string>();
  onWorkerStarted(({ kind, worker, url: written }: StartedWorker) => {
    const realm = `worker ${nameOf(written)}`;
    if (kind === 'worker')
      worker.addEventListener('message', (event) => {
        if (!(event instanceof MessageEvent) || !isReport(event.data)) return;
        event.stopImmediatePropagation();
        take(event.data.__vitrine, realm);
      });
    else if (URL.canParse(written, document.baseURI)) {
      shared.set(new URL(written, document.baseURI).href, `shared ${realm}`);
      if (channel) return;
      channel = new BroadcastChannel(sharedWorkerChannel);
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        const name = isReport(data) ? shared.get(data.from) : undefined;
        if (isReport(data) && name !== undefined) take(data.__vitrine, name);
      };
    }
  });
}

function nameOf(url: string): string {
  return /^(?:blob|data):/.exec(url)?.[0] ?? url;
}

/** Event with which a page in a nested frame registers with the agent of its parent page. */
const childEvent = 'vitrine-child';

interface Child {
  /** Offset of the child's object ids; set by the parent. */
  firstHandle?: number;
  take?: (report: RealmReport) => void;
  find(handle: number): TableEntry | undefined;
  path: string;
}

/** Registers this page with the parent page's agent; undefined if the parent is cross-origin. */
export function registerWithParent(
  path: string,
  find: Child['find'],
): { firstHandle: number; take(report: RealmReport): void } | undefined {
  const child: Child = { find, path };
  try {
    parent.dispatchEvent(new CustomEvent(childEvent, { detail: child }));
  } catch {
    // It is of another origin.
    return undefined;
  }
  const { firstHandle, take } = child;
  return firstHandle === undefined || !take ? undefined : { firstHandle, take };
}

/** Number of object ids reserved per child. */
const handlesOfChild = 1_000_000_000;

/** Maximum number of child pages whose logged objects can be expanded; older ones are dropped. */
const maxChildren = 50;

/** Accepts pages in nested frames; `find` looks up an object that one of them has logged. */
export function acceptChildren(take: ReportHandler): { find: Child['find'] } {
  const children = new Map<number, Child>();
  let last = 0;
  addEventListener(childEvent, (event) => {
    // The event was created in the child's realm.
    const child: unknown = 'detail' in event ? event.detail : undefined;
    if (!isChild(child)) return;
    children.set(++last, child);
    children.delete(last - maxChildren);
    child.firstHandle = last * handlesOfChild;
    child.take = (report) => take(report, `frame ${child.path}`);
  });
  return { find: (handle) => children.get(Math.floor(handle / handlesOfChild))?.find(handle) };
}

function isChild(detail: unknown): detail is Child {
  if (typeof detail !== 'object' || detail === null) return false;
  return 'path' in detail && 'find' in detail && typeof detail.find === 'function';
}

/** Starts observing a realm that doesn't load our script. */
type AdoptRealm = (window: Window & typeof globalThis, realm: string) => void;

/**
 * Observes frames that don't load our script: about:blank, `srcdoc` and blobs. In browsers that keep the window
 * when such a document loads, its first script is already observed.
 */
export function watchFrames(adopt: AdoptRealm): void {
  /** Consoles of observed windows; `contentWindow` is the same object for all documents of a frame. */
  const adopted = new WeakSet<object>();
  const windowOf = Object.getOwnPropertyDescriptor(
    HTMLIFrameElement.prototype,
    'contentWindow',
  )?.get;
  const observe = (frame: HTMLIFrameElement) => {
    const realm = realmOf(frame);
    if (realm === undefined) return;
    try {
      const child = windowOf?.call(frame) as (Window & typeof globalThis) | null;
      // oxlint-disable-next-line no-console -- the frame's
      const target = child?.console;
      if (!child || !target || adopted.has(target)) return;
      adopted.add(target);
      adopt(child, realm);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      // The frame is cross-origin.
    }
  };
  const observeAll = (node: Node) => {
    if (node instanceof HTMLIFrameElement) observe(node);
    else if (node instanceof Element)
      for (const frame of node.querySelectorAll('iframe')) observe(frame);
  };
  new MutationObserver((records) => {
    for (const { addedNodes } of records) addedNodes.forEach(observeAll);
  }).observe(document, { childList: true, subtree: true });
  document.addEventListener(
    'load',
    ({ target }) => void (target instanceof HTMLIFrameElement && observe(target)),
    true,
  );
  // A script may use a blank frame as soon as it is inserted, so access to its window is intercepted too.
  for (const name of ['contentWindow', 'contentDocument'] as const) {
    const property = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, name);
    if (!property?.get) continue;
    const get = new Proxy(property.get, {
      apply(target, self, args) {
        if (self instanceof HTMLIFrameElement) observe(self);
        const found: unknown = Reflect.apply(target, self, args);
        return found;
      },
    });
    Object.defineProperty(HTMLIFrameElement.prototype, name, { ...property, get });
  }
}

/** Name of a frame without our script; undefined for one with a URL, whose page loads it. */
function realmOf(frame: HTMLIFrameElement): string | undefined {
  if (frame.hasAttribute('srcdoc')) return 'frame about:srcdoc';
  const url = frame.getAttribute('src') ?? '';
  if (/^\s*(?:about:blank\b|$)/i.test(url)) return 'frame about:blank';
  return /^\s*blob:/i.test(url) ? 'frame blob:' : undefined;
}

/** Maximum number of errors of all other realms reported per document. */
const maxReports = 50;
/** Number of rejection numbers reserved per realm. */
const rejectionsOfRealm = 1_000_000;

/** Creates a handler that passes reports on, in the page's queue and within its limits. */
export function createReportRelay(
  send: (message: FromFrame) => void,
  pass: (entry: ConsoleEntry) => void,
): ReportHandler {
  const numbers = new Map<string, number>();
  let reported = 0;
  return (report, realm) => {
    if (!numbers.has(realm)) numbers.set(realm, numbers.size + 1);
    const offset = (numbers.get(realm) ?? 0) * rejectionsOfRealm;
    const numbered = <T extends { rejection?: number }>(message: T): T =>
      message.rejection === undefined
        ? message
        : { ...message, rejection: message.rejection + offset };
    switch (report.type) {
      case 'console': {
        const { entry } = report;
        // A frame within a frame is already named.
        return pass(numbered({ ...entry, realm: entry.realm ?? realm }));
      }
      case 'problem': {
        reported += 1;
        const { problem } = report;
        const isThrown = problem.kind === 'error' || problem.kind === 'rejection';
        if (reported <= maxReports)
          send({ type: 'problem', problem: isThrown ? numbered(problem) : problem });
        return;
      }
      case 'rejection-handled':
        return send(numbered(report));
      case 'dropped':
        return send(report);
    }
  };
}
