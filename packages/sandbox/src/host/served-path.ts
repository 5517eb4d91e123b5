/**
 * The served path: a page at an address of its own. A saved project opens with the server's page,
 * and the service worker installs behind it; a draft opens with a small page that hands the files
 * to the service worker first. From the first edit on the service worker answers.
 *
 * This is the frame's life: it opens, says hello, hangs, is left, and goes. How the document in it
 * follows the edits is in served-document.ts.
 */
import { dropBegun, type BegunFrame } from '../begun-frame.ts';
import { findFilePath } from '../file-addresses.ts';
import type { FromFrame, Hello } from '../protocol.ts';
import { bootAddress, enterAt, pageAddress, randomRun } from '../run-addresses.ts';
import { openFrame, type Frame } from './frame.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createServedDocument, helloWithinMs } from './served-document.ts';
import { findEntry } from './sources.ts';
import type { Path, Stage } from './stage.ts';
import { createWatchdog } from './watchdog.ts';

/** A page that has not answered for this long when its code changes is thrown away for a new one. */
const patienceMs = 400;
/** A page that says that it leaves, and is still there by then, has changed its mind. */
const leaveWithinMs = 3_000;
/** A document that has said nothing by then hangs, or its first script is slow to come. */
const mutedForMs = 3_000;
/** The app's word for who may see a private project is good for as long, at least. */
const enteredForMs = 5_000;

export function createServedPath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  let { begun } = options;
  const run = begun?.run ?? randomRun();
  /** Origins of saved projects have no service worker, so that none can ever answer for them. */
  const canBeEdited = options.key.includes('--');
  let entry = options.entry ?? findEntry(sources);
  let frame: Frame | undefined;
  /** Done when the frame before is gone: one that comes sooner would hang with it. */
  let gone: Promise<void> | undefined;
  /** Ends the opening of a frame that is not wanted any more. */
  let opening = new AbortController();
  let isRefused = false;
  let enteredAt = 0;
  let leaveTimer: ReturnType<typeof setTimeout> | undefined;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;
  const heartbeat = createHeartbeat({
    ask: () => frame?.send({ type: 'ping', count: 0 }),
    onStalled() {
      expectHello(null);
      stage.setState('stalled');
    },
    onBack: () => stage.setState('running'),
  });
  /** The document has said that it leaves, and no other one has come. */
  let isLeaving = false;
  /** Version for which a page that hangs was thrown away: the next one hangs with what is newest. */
  let recovered: number | null = null;
  const watchdog = createWatchdog({ heartbeat, patienceMs, isBehind, onHung: recover });
  const page = createServedDocument({
    stage,
    run,
    entry: () => entry,
    send: (message, ports) => frame?.send(message, ports),
    expectHello,
    expectAnswer() {
      if (frame) watchdog.expectAnswer();
      return frame !== undefined;
    },
    isRefused: () => isRefused,
    staysAbsent,
    findPath,
    canBeEdited,
  });

  return {
    open: () => void open(),
    deliver: page.deliver,
    visit,
    travel: (by) => frame?.send({ type: 'travel', by }),
    reload() {
      if (!frame || !page.isOfProject || watchdog.isHung()) return false;
      page.reload();
      return true;
    },
    send: (message, ports) => frame?.send(message, ports),
    relayRules(rules) {
      if (canBeEdited) frame?.send({ type: 'relay', message: { type: 'rules', run, rules } });
    },
    close: async () => close(),
    forget() {
      // It leaves the frame before the frame goes; if not, newer runs push this one out.
      if (page.isStored) frame?.send({ type: 'relay', message: { type: 'forget', run } });
      void close();
    },
  };

  async function open(): Promise<void> {
    const before = close();
    const { signal } = opening;
    page.expect();
    await before;
    if (signal.aborted) return;
    const isSaved = options.served !== null && sources.version === 0;
    if (takeOver(isSaved)) return;
    if (!isSaved) return openAt(bootAddress(origin, run));
    const address = pageAddress(origin, entry, stage.nameRun(run));
    if (!options.enter) return openAt(address);
    try {
      enteredAt = performance.now();
      const entrance = enterAt(await options.enter(signal), address);
      if (!signal.aborted) openAt(entrance);
    } catch {
      // The app could not get an entry, or its address is none; the state says so.
      if (!signal.aborted) stage.fail('not-allowed');
    }
  }

  /** The frame that the page began with, where it is what would be opened now. */
  function takeOver(isSaved: boolean): boolean {
    const taken = begun;
    begun = undefined;
    if (!taken?.element.isConnected) return false;
    const { src } = taken.element;
    const isThere = new URL(src).origin === origin && entry === findEntry(sources);
    if (isSaved && isThere && stage.nameRun(run) === run) openAt(src, taken);
    else dropBegun(taken);
    return frame !== undefined;
  }

  function visit(address: string): void {
    const { pathname } = new URL(address, origin);
    // Where it is shown from next time, should this frame have to go, or not be there yet.
    entry = findPath(pathname) ?? entry;
    if (!page.isLoading) frame?.send({ type: 'go', run: stage.nameRun(run), address });
  }

  function findPath(pathname: string): string | undefined {
    return findFilePath(pathname, (path) => sources.read(path) !== undefined);
  }

  function openAt(address: string, taken?: BegunFrame): void {
    frame = openFrame(options.element, {
      title: options.title,
      address,
      origin,
      ...(taken && { begun: taken }),
      onHello,
      onMessage,
      onStranger: () => stage.fail('left'),
    });
    expectHello(helloWithinMs);
    leaveTimer = setTimeout(() => frame?.isMute && listen(), mutedForMs);
  }

  function close(): Promise<void> | undefined {
    opening.abort();
    opening = new AbortController();
    page.close();
    clearTimeout(helloTimer);
    clearTimeout(leaveTimer);
    watchdog.rest();
    isLeaving = false;
    const isHung = watchdog.isHung();
    heartbeat.close();
    if (frame) gone = frame.close(!isHung);
    frame = undefined;
    return gone;
  }

  function expectHello(withinMs: number | null): void {
    clearTimeout(helloTimer);
    if (withinMs !== null) helloTimer = setTimeout(giveUp, withinMs);
  }

  function giveUp(): void {
    if (frame?.isMute) listen();
    // The service worker that it waits for comes with the network.
    else if (page.isHeldUp && !navigator.onLine) expectHello(helloWithinMs);
    else stage.fail('no-answer');
  }

  function onHello(hello: Hello): void {
    page.abandon();
    watchdog.rest();
    isLeaving = false;
    expectHello(null);
    clearTimeout(leaveTimer);
    heartbeat.start();
    page.arrive(hello, findPath(hello.path) !== undefined);
  }

  /** Our page for "not there" can mean that we were not let in, or that nobody has the files. */
  function staysAbsent(): boolean {
    if (options.enter && performance.now() - enteredAt > enteredForMs) {
      void open();
      return false;
    }
    if (sources.read(entry) === undefined) {
      stage.fail('absent');
      return false;
    }
    return true;
  }

  function onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        heartbeat.heard();
        break;
      case 'leaving':
        isLeaving = true;
        heartbeat.pause();
        clearTimeout(leaveTimer);
        leaveTimer = setTimeout(listen, leaveWithinMs);
        break;
      case 'dialog':
        if (message.open) heartbeat.pause();
        else heartbeat.start();
        break;
      case 'painted':
        page.painted();
        if (page.isCurrent) stage.setState('running');
        break;
      case 'applied':
        page.applied(message.version, message.outcome);
        break;
      case 'invalid':
        page.invalidate(message.id);
        break;
      case 'refused':
        isRefused = true;
        // The server's page needs no service worker until something is edited.
        if (page.isHeldUp) stage.fallBack();
        break;
      case 'address':
        stage.setAddress(message);
        break;
      default:
        stage.hear(message);
    }
  }

  /** To whatever document the frame holds by now. */
  function listen(): void {
    heartbeat.start();
    // The page that is on its way may hang ahead of its first word; it is what there is to show.
    if (!page.isLoading || page.isOutdated) page.deliver();
  }

  /** While a page is on its way, it is the one before that is silent, until that has left. */
  function isBehind(): boolean {
    if (!page.isLoading) return page.isBehind;
    return page.isOutdated || !(isLeaving || frame?.isMute);
  }

  /** Only taking a frame away ends code that does not return; nothing can be sent to it. P-21 */
  function recover(): void {
    // A stylesheet cannot be why it hangs.
    if (page.differsInStyle() || recovered === sources.version) return;
    recovered = sources.version;
    stage.setState('starting');
    void open();
  }
}
