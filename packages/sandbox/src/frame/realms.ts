/**
 * Other realms of the page: frames of its own origin and workers. What they log and do not catch goes
 * by way of the page's agent, which bounds all of it together. Frames of other origins are not heard.
 */
import type { ConsoleEntry, FromFrame } from '../protocol.ts';
import type { Kept } from './handles.ts';
import { followWorkers, type StartedWorker } from './workers.ts';

/** What realms have to say. */
type RealmReport = Extract<
  FromFrame,
  { type: 'console' | 'dropped' | 'problem' | 'rejection-handled' }
>;

export function isRealmReport(message: FromFrame): message is RealmReport {
  return ['console', 'dropped', 'problem', 'rejection-handled'].includes(message.type);
}

interface WrappedReport {
  __vitrine: RealmReport;
  /** The address of a shared worker; '' for others. */
  from: string;
}

export const sharedChannel = '__vitrine-shared-workers';

export function wrapReport(message: FromFrame, from: string) {
  return { __vitrine: message, from };
}

function isReport(data: unknown): data is WrappedReport {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, '__vitrine');
}

/** Takes what a realm reports; `realm` names it: "worker counter.js". */
type TakeReport = (report: RealmReport, realm: string) => void;

/** Hears the workers that the page starts from now on, ahead of the page's own listeners. */
export function watchWorkers(take: TakeReport): void {
  let channel: BroadcastChannel | undefined;
  const shared = new Map<string, string>();
  followWorkers(({ kind, worker, written }: StartedWorker) => {
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
      channel = new BroadcastChannel(sharedChannel);
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        const name = isReport(data) ? shared.get(data.from) : undefined;
        if (isReport(data) && name !== undefined) take(data.__vitrine, name);
      };
    }
  });
}

function nameOf(address: string): string {
  return /^(?:blob|data):/.exec(address)?.[0] ?? address;
}

/** The event by which a page in a frame hands itself to the agent of the page around it. */
const childEvent = 'vitrine-child';

interface Child {
  /** What the child's own handles begin behind; set by the page around it. */
  firstHandle?: number;
  take?: (report: RealmReport) => void;
  find(handle: number): Kept | undefined;
  path: string;
}

/** A page of the project in a frame of another one joins it; undefined where that is of another origin. */
export function joinParent(
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

/** Each child's handles are so many numbers of their own. */
const handlesOfChild = 1_000_000_000;

/** Pages in frames that are asked for what they have logged; older ones are let go. */
const keptChildren = 50;

/** Answers pages in frames of this one; `find` looks for what one of them has logged. */
export function takeChildren(take: TakeReport): { find: Child['find'] } {
  const children = new Map<number, Child>();
  let last = 0;
  addEventListener(childEvent, (event) => {
    // It is of the child's realm.
    const child: unknown = 'detail' in event ? event.detail : undefined;
    if (!isChild(child)) return;
    children.set(++last, child);
    children.delete(last - keptChildren);
    child.firstHandle = last * handlesOfChild;
    child.take = (report) => take(report, `frame ${child.path}`);
  });
  return { find: (handle) => children.get(Math.floor(handle / handlesOfChild))?.find(handle) };
}

function isChild(detail: unknown): detail is Child {
  if (typeof detail !== 'object' || detail === null) return false;
  return 'path' in detail && 'find' in detail && typeof detail.find === 'function';
}

/** Whatever watches a realm that has no script of ours. */
type AdoptRealm = (window: Window & typeof globalThis, realm: string) => void;

/**
 * Adopts frames that have no script of ours: blank ones, `srcdoc` and blobs. Those of a browser that
 * keeps the window as such a document loads are heard from their first script on.
 */
export function watchFrames(adopt: AdoptRealm): void {
  /** By their console: a window that is read through a frame is the same object for all its documents. */
  const adopted = new WeakSet<object>();
  const windowOf = Object.getOwnPropertyDescriptor(
    HTMLIFrameElement.prototype,
    'contentWindow',
  )?.get;
  const look = (frame: HTMLIFrameElement) => {
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
      // It is of another origin.
    }
  };
  const lookAll = (node: Node) => {
    if (node instanceof HTMLIFrameElement) look(node);
    else if (node instanceof Element)
      for (const frame of node.querySelectorAll('iframe')) look(frame);
  };
  new MutationObserver((records) => {
    for (const { addedNodes } of records) addedNodes.forEach(lookAll);
  }).observe(document, { childList: true, subtree: true });
  document.addEventListener(
    'load',
    ({ target }) => void (target instanceof HTMLIFrameElement && look(target)),
    true,
  );
  // A script uses a blank frame as soon as it is there.
  for (const name of ['contentWindow', 'contentDocument'] as const) {
    const property = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, name);
    if (!property?.get) continue;
    const get = new Proxy(property.get, {
      apply(target, self, args) {
        if (self instanceof HTMLIFrameElement) look(self);
        const found: unknown = Reflect.apply(target, self, args);
        return found;
      },
    });
    Object.defineProperty(HTMLIFrameElement.prototype, name, { ...property, get });
  }
}

/** Undefined for a frame with a page at an address, which has our script. */
function realmOf(frame: HTMLIFrameElement): string | undefined {
  if (frame.hasAttribute('srcdoc')) return 'frame about:srcdoc';
  const address = frame.getAttribute('src') ?? '';
  if (/^\s*(?:about:blank\b|$)/i.test(address)) return 'frame about:blank';
  return /^\s*blob:/i.test(address) ? 'frame blob:' : undefined;
}

/** Problems of all other realms that one document tells. */
const toldAtMost = 50;
/** Each realm's rejections are so many numbers of their own. */
const rejectionsOfRealm = 1_000_000;

/** Passes on what other realms report, in the page's own turn and within its bounds. */
export function createRelay(
  send: (message: FromFrame) => void,
  pass: (entry: ConsoleEntry) => void,
): TakeReport {
  const numbers = new Map<string, number>();
  let told = 0;
  return (report, realm) => {
    if (!numbers.has(realm)) numbers.set(realm, numbers.size + 1);
    const offset = (numbers.get(realm) ?? 0) * rejectionsOfRealm;
    const numbered = <T extends { rejection?: number }>(said: T): T =>
      said.rejection === undefined ? said : { ...said, rejection: said.rejection + offset };
    switch (report.type) {
      case 'console': {
        const { entry } = report;
        // A frame within a frame has been named.
        return pass(numbered({ ...entry, realm: entry.realm ?? realm }));
      }
      case 'problem': {
        told += 1;
        const { problem } = report;
        const isThrown = problem.kind !== 'resource';
        if (told <= toldAtMost)
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
