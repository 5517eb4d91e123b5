/**
 * Isolated-origin transport: runs a project on an origin of its own. A saved project opens with the
 * server's page, and the service worker is installed in the background. A draft opens with an empty page
 * that hands the files to the service worker first. From the first edit on, the service worker responds.
 *
 * This module manages the frame: opening, hello, unresponsiveness, navigation away, removal.
 * isolated-origin-document.ts keeps the document in it up to date.
 */
import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import { findFilePath } from '../file-addresses.ts';
import type { FromFrame, Hello } from '../protocol.ts';
import { bootAddress, accessAddress, pageAddress, createRunId } from '../run-addresses.ts';
import { openFrameConnection, type FrameConnection } from './frame-connection.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createIsolatedOriginDocument, helloTimeoutMs } from './isolated-origin-document.ts';
import { findEntryPage } from './module-store.ts';
import type { PreviewTransport, PreviewContext } from './preview-context.ts';
import { createWatchdog } from './watchdog.ts';

/** Silence after which a page counts as unresponsive when its code changes. */
const unresponsiveMs = 400;
/** A page that announced its unload and is still there after this long was not unloaded. */
const unloadTimeoutMs = 3_000;
/** A document that has not said hello after this long is unresponsive, or its first script is slow to load. */
const noHelloMs = 3_000;
/** Shortest time that the app's permission to see a private project stays valid. */
const accessValidMs = 5_000;

export function createIsolatedOriginTransport(
  stage: PreviewContext,
  origin: string,
): PreviewTransport {
  const { options, moduleStore } = stage;
  let { prerendered: begun } = options;
  const run = begun?.run ?? createRunId();
  /** Origins of saved projects have no service worker, so that user code can never install one there. */
  const canBeEdited = options.key.includes('--');
  let entry = options.entry ?? findEntryPage(moduleStore);
  let frame: FrameConnection | undefined;
  /** Resolves when the previous frame is gone; a new one opened earlier would share its hung process. */
  let removal: Promise<void> | undefined;
  /** Aborts the opening of a frame that is no longer needed. */
  let opening = new AbortController();
  let isWorkerRefused = false;
  let accessGrantedAt = 0;
  let unloadTimer: ReturnType<typeof setTimeout> | undefined;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;
  const heartbeat = createHeartbeat({
    sendPing: () => frame?.send({ type: 'ping', count: 0 }),
    onUnresponsive() {
      expectHello(null);
      stage.setState('stalled');
    },
    onResponsive: () => stage.setState('running'),
  });
  /** The document announced its unload, and no new one has said hello. */
  let isLeaving = false;
  /** Version for which an unresponsive page was already replaced; not retried for the same version. */
  let restartedVersion: number | null = null;
  const watchdog = createWatchdog({
    heartbeat,
    unresponsiveMs,
    isOutdated: isBehind,
    onUnresponsive: restart,
  });
  const page = createIsolatedOriginDocument({
    context: stage,
    run,
    entry: () => entry,
    send: (message, ports) => frame?.send(message, ports),
    expectHello,
    expectResponse() {
      if (frame) watchdog.watch();
      return frame !== undefined;
    },
    isServiceWorkerRefused: () => isWorkerRefused,
    confirmNotFound: staysAbsent,
    findPath,
    isEditable: canBeEdited,
  });

  return {
    open: () => void open(),
    update: page.update,
    navigate: visit,
    traverseHistory: (by) => frame?.send({ type: 'travel', by }),
    reload() {
      if (!frame || !page.isProjectPage || watchdog.isUnresponsive()) return false;
      page.reload();
      return true;
    },
    send: (message, ports) => frame?.send(message, ports),
    sendNetworkRules(rules) {
      if (canBeEdited) frame?.send({ type: 'relay', message: { type: 'rules', run, rules } });
    },
    close: async () => close(),
    dispose() {
      // Posted before the frame is removed. If it gets lost, newer runs evict this one.
      if (page.hasStoredFiles) frame?.send({ type: 'relay', message: { type: 'forget', run } });
      void close();
    },
  };

  async function open(): Promise<void> {
    const before = close();
    const { signal } = opening;
    page.beginLoading();
    await before;
    if (signal.aborted) return;
    const isSaved = options.served !== null && moduleStore.version === 0;
    if (adoptPrerendered(isSaved)) return;
    if (!isSaved) return openAt(bootAddress(origin, run));
    const address = pageAddress(origin, entry, stage.runWithTools(run));
    if (!options.requestAccess) return openAt(address);
    try {
      accessGrantedAt = performance.now();
      const accessUrl = accessAddress(await options.requestAccess(signal), address);
      if (!signal.aborted) openAt(accessUrl);
    } catch {
      // The app got no access URL, or an invalid one.
      if (!signal.aborted) stage.fail('not-allowed');
    }
  }

  /** Adopts the prerendered frame if it shows what would be opened now. */
  function adoptPrerendered(isSaved: boolean): boolean {
    const adopted = begun;
    begun = undefined;
    if (!adopted?.element.isConnected) return false;
    const { src } = adopted.element;
    const isThere = new URL(src).origin === origin && entry === findEntryPage(moduleStore);
    if (isSaved && isThere && stage.runWithTools(run) === run) openAt(src, adopted);
    else removePrerendered(adopted);
    return frame !== undefined;
  }

  function visit(address: string): void {
    const { pathname } = new URL(address, origin);
    // Remembered for the next frame, in case this one is replaced or not open yet.
    entry = findPath(pathname) ?? entry;
    if (!page.isLoading) frame?.send({ type: 'go', run: stage.runWithTools(run), address });
  }

  function findPath(pathname: string): string | undefined {
    return findFilePath(pathname, (path) => moduleStore.read(path) !== undefined);
  }

  function openAt(address: string, adopted?: PrerenderedFrame): void {
    frame = openFrameConnection(options.element, {
      title: options.title,
      address,
      origin,
      ...(adopted && { prerendered: adopted }),
      onHello,
      onMessage,
      onStranger: () => stage.fail('left'),
    });
    expectHello(helloTimeoutMs);
    unloadTimer = setTimeout(() => frame?.isSilent && listen(), noHelloMs);
  }

  function close(): Promise<void> | undefined {
    opening.abort();
    opening = new AbortController();
    page.close();
    clearTimeout(helloTimer);
    clearTimeout(unloadTimer);
    watchdog.stop();
    isLeaving = false;
    const isUnresponsive = watchdog.isUnresponsive();
    heartbeat.close();
    if (frame) removal = frame.close(!isUnresponsive);
    frame = undefined;
    return removal;
  }

  function expectHello(withinMs: number | null): void {
    clearTimeout(helloTimer);
    if (withinMs !== null) helloTimer = setTimeout(onTimeout, withinMs);
  }

  function onTimeout(): void {
    if (frame?.isSilent) listen();
    // The page waits for a service worker that needs the network.
    else if (page.awaitsServiceWorker && !navigator.onLine) expectHello(helloTimeoutMs);
    else stage.fail('no-answer');
  }

  function onHello(hello: Hello): void {
    page.abortPending();
    watchdog.stop();
    isLeaving = false;
    expectHello(null);
    clearTimeout(unloadTimer);
    heartbeat.start();
    page.onHello(hello, findPath(hello.path) !== undefined);
  }

  /** Decides what a 404 page means: the preview's session has expired, the entry page is missing, or a broken link. */
  function staysAbsent(): boolean {
    if (options.requestAccess && performance.now() - accessGrantedAt > accessValidMs) {
      void open();
      return false;
    }
    if (moduleStore.read(entry) === undefined) {
      stage.fail('absent');
      return false;
    }
    return true;
  }

  function onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        heartbeat.onPong();
        break;
      case 'leaving':
        isLeaving = true;
        heartbeat.pause();
        clearTimeout(unloadTimer);
        unloadTimer = setTimeout(listen, unloadTimeoutMs);
        break;
      case 'dialog':
        if (message.open) heartbeat.pause();
        else heartbeat.start();
        break;
      case 'painted':
        page.onPainted();
        if (page.isCurrent) stage.setState('running');
        break;
      case 'applied':
        page.onApplied(message.version, message.outcome);
        break;
      case 'invalid':
        page.invalidate(message.id);
        break;
      case 'refused':
        isWorkerRefused = true;
        // The server's page needs no service worker until a file is edited.
        if (page.awaitsServiceWorker) stage.fallBack();
        break;
      case 'address':
        stage.setAddress(message);
        break;
      default:
        stage.onMessage(message);
    }
  }

  /** Starts the heartbeat of whichever document the frame holds by now. */
  function listen(): void {
    heartbeat.start();
    // A loading page may hang before its hello; it is the only one there is to show.
    if (!page.isLoading || page.isOutdated) page.update();
  }

  /** While a page is loading, silence is the previous page's, until that has been unloaded. */
  function isBehind(): boolean {
    if (!page.isLoading) return page.isBehind;
    return page.isOutdated || !(isLeaving || frame?.isSilent);
  }

  /** Replaces an unresponsive page. Only removing the frame ends code that doesn't return. P-21 */
  function restart(): void {
    // Changing a stylesheet can't fix an infinite loop.
    if (page.isStyleOnlyChange() || restartedVersion === moduleStore.version) return;
    restartedVersion = moduleStore.version;
    stage.setState('starting');
    void open();
  }
}
