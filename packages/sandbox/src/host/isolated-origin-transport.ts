/**
 * Isolated-origin transport: runs a project on an origin of its own. A saved project that can be
 * edited here opens with the server's page, and the service worker is installed in the background. A draft
 * opens with an empty page that hands the files to the service worker first. From the first edit on, the
 * service worker responds. A saved project that can't be edited here has no service worker.
 *
 * This module manages the frame: opening, hello, unresponsiveness, navigation away, removal.
 * isolated-origin-document.ts keeps the document in it up to date.
 */
import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import { findFilePath } from '../file-urls.ts';
import type { FromFrame, Hello } from '../protocol.ts';
import { createBootUrl, createAccessUrl, createPageUrl, createRunId } from '../run-urls.ts';
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
/**
 * A document that hasn't sent its hello after this long is pinged: either its code doesn't return, or its first
 * script is slow to load.
 */
const silentStartMs = 3_000;
/** Shortest time that the app's permission to see a private project stays valid. */
const accessValidMs = 5_000;

export function createIsolatedOriginTransport(
  context: PreviewContext,
  origin: string,
): PreviewTransport {
  const { options, moduleStore } = context;
  let { prerendered } = options;
  const run = prerendered?.run ?? createRunId();
  /**
   * Keys of projects that can be edited contain `--`: `edit--SLUG`, `draft--ID`. The origins of all others have no
   * service worker, so that user code can never install one there.
   */
  const isEditable = options.key.includes('--');
  /** Project path of the last page shown, or navigated to. Undefined at the start and after a 404 page. */
  let lastPage = options.entry;
  let frame: FrameConnection | undefined;
  /** Resolves when the previous frame is gone; a new one opened earlier would share its unresponsive process. */
  let removal: Promise<void> | undefined;
  /** Aborts the opening of a frame that is no longer needed. */
  let opening = new AbortController();
  let isServiceWorkerRefused = false;
  let accessGrantedAt = 0;
  /** Starts the heartbeat of a document that hasn't sent its hello, or that announced its unload and stayed. */
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;
  const heartbeat = createHeartbeat({
    sendPing: () => frame?.send({ type: 'ping', count: 0 }),
    onUnresponsive() {
      setHelloTimeout(null);
      context.setState('unresponsive');
    },
    onResponsive: () => context.setState('running'),
  });
  /** The document announced its unload, and no new one has sent its hello. */
  let isUnloading = false;
  /** The frame was opened again because nothing had responded in time. Cleared by a hello. */
  let isRetry = false;
  /** Version for which an unresponsive page was already replaced; not retried for the same version. */
  let restartedVersion: number | null = null;
  const watchdog = createWatchdog({
    heartbeat,
    unresponsiveMs,
    isOutdated: mayRunOldCode,
    onUnresponsive: restart,
  });
  const page = createIsolatedOriginDocument({
    context,
    run,
    entry: findPage,
    send: (message, ports) => frame?.send(message, ports),
    setHelloTimeout,
    expectResponse() {
      if (frame) watchdog.watch();
      return frame !== undefined;
    },
    isServiceWorkerRefused: () => isServiceWorkerRefused,
    confirmNotFound,
    findPath,
    isEditable,
  });

  return {
    open: () => void open(),
    update: page.update,
    navigate,
    traverseHistory: (by) => frame?.send({ type: 'travel', by }),
    reload() {
      if (!frame || !page.canReload || watchdog.isUnresponsive()) return false;
      page.reload();
      return true;
    },
    send: (message, ports) => frame?.send(message, ports),
    sendNetworkRules(rules) {
      if (isEditable) frame?.send({ type: 'relay', message: { type: 'rules', run, rules } });
    },
    close: async () => close(),
    dispose() {
      // Posted before the frame is removed. If it gets lost, newer runs evict this one.
      if (page.hasStoredFiles) frame?.send({ type: 'relay', message: { type: 'forget', run } });
      void close();
    },
  };

  async function open(): Promise<void> {
    const previousRemoval = close();
    const { signal } = opening;
    page.beginLoading();
    await previousRemoval;
    if (signal.aborted) return;
    const isSaved = options.served !== null && moduleStore.version === 0;
    if (adoptPrerendered(isSaved)) return;
    if (!isSaved) return openAt(createBootUrl(origin, run));
    const url = createPageUrl(origin, findPage(), context.runWithTools(run));
    if (!options.requestAccess) return openAt(url);
    try {
      accessGrantedAt = performance.now();
      const accessUrl = createAccessUrl(await options.requestAccess(signal), url);
      if (!signal.aborted) openAt(accessUrl);
    } catch {
      // The app got no access URL, or an invalid one.
      if (!signal.aborted) context.fail('not-allowed');
    }
  }

  /** Adopts the prerendered frame if it shows what would be opened now. Returns whether it did. */
  function adoptPrerendered(isSaved: boolean): boolean {
    const adopted = prerendered;
    prerendered = undefined;
    if (!adopted?.element.isConnected) return false;
    const { src } = adopted.element;
    const showsEntryPage =
      new URL(src).origin === origin && findPage() === findEntryPage(moduleStore);
    if (isSaved && showsEntryPage && context.runWithTools(run) === run) openAt(src, adopted);
    else removePrerendered(adopted);
    return frame !== undefined;
  }

  function navigate(url: string): void {
    const { pathname } = new URL(url, origin);
    // Remembered for the next frame, in case this one is replaced or not open yet.
    lastPage = findPath(pathname) ?? lastPage;
    if (!page.isLoading) frame?.send({ type: 'go', run: context.runWithTools(run), address: url });
  }

  /** Page that the next frame opens. */
  function findPage(): string {
    if (lastPage !== undefined && moduleStore.read(lastPage) !== undefined) return lastPage;
    return options.entry ?? findEntryPage(moduleStore);
  }

  function findPath(pathname: string): string | undefined {
    return findFilePath(pathname, (path) => moduleStore.read(path) !== undefined);
  }

  function openAt(url: string, adopted?: PrerenderedFrame): void {
    frame = openFrameConnection(options.element, {
      title: options.title,
      url,
      origin,
      ...(adopted && { prerendered: adopted }),
      onHello,
      onMessage,
      onNavigatedAway: () => context.fail('navigated-away'),
    });
    setHelloTimeout(helloTimeoutMs);
    silenceTimer = setTimeout(() => frame?.awaitsHello && startHeartbeat(), silentStartMs);
  }

  function close(): Promise<void> | undefined {
    opening.abort();
    opening = new AbortController();
    page.close();
    clearTimeout(helloTimer);
    clearTimeout(silenceTimer);
    watchdog.stop();
    isUnloading = false;
    const isUnresponsive = watchdog.isUnresponsive();
    heartbeat.close();
    if (frame) removal = frame.close(!isUnresponsive);
    frame = undefined;
    return removal;
  }

  function setHelloTimeout(withinMs: number | null): void {
    clearTimeout(helloTimer);
    if (withinMs !== null) helloTimer = setTimeout(onHelloTimeout, withinMs);
  }

  function onHelloTimeout(): void {
    if (frame?.awaitsHello) startHeartbeat();
    // The page waits for a service worker that needs the network.
    else if (page.awaitsServiceWorker && !navigator.onLine) setHelloTimeout(helloTimeoutMs);
    else if (isRetry) {
      isRetry = false;
      context.fail('timeout');
    } else {
      // A server that has just started, or a busy machine, may only have been too slow.
      isRetry = true;
      void open();
    }
  }

  function onHello(hello: Hello): void {
    page.abortPending();
    watchdog.stop();
    isUnloading = false;
    isRetry = false;
    setHelloTimeout(null);
    clearTimeout(silenceTimer);
    heartbeat.start();
    const { shown, path } = hello;
    const exists = findPath(path) !== undefined;
    if (shown.kind === 'saved' || shown.kind === 'run') lastPage = path;
    else if (shown.kind === 'absent' && !exists) lastPage = options.entry;
    page.onHello(hello, exists);
  }

  /**
   * Decides what a 404 page means: the preview's session has expired, the entry page is missing, the server doesn't
   * show the project any more, or a broken link.
   */
  function confirmNotFound(exists: boolean): boolean {
    if (exists && options.requestAccess && performance.now() - accessGrantedAt > accessValidMs) {
      void open();
      return false;
    }
    if (moduleStore.read(findPage()) === undefined) {
      context.fail('entry-missing');
      return false;
    }
    if (exists && !isEditable) {
      context.fail('not-allowed');
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
        isUnloading = true;
        heartbeat.pause();
        clearTimeout(silenceTimer);
        silenceTimer = setTimeout(startHeartbeat, unloadTimeoutMs);
        break;
      case 'dialog':
        if (message.open) heartbeat.pause();
        else heartbeat.start();
        break;
      case 'painted':
        page.onPainted();
        if (page.isCurrent) context.setState('running');
        break;
      case 'applied':
        page.onApplied(message.version, message.outcome);
        break;
      case 'invalid':
        page.invalidate(message.id);
        break;
      case 'refused':
        isServiceWorkerRefused = true;
        // The server's page needs no service worker until a file is edited.
        if (page.awaitsServiceWorker) context.fallBack();
        break;
      case 'address':
        context.setAddress(message);
        break;
      default:
        context.onMessage(message);
    }
  }

  /** Starts the heartbeat of the document that the frame holds now, and updates it. */
  function startHeartbeat(): void {
    heartbeat.start();
    // A loading page of the newest version may hang before its hello; a new one would hang too.
    if (!page.isLoading || page.isOutdated) page.update();
  }

  /** While a page is loading, missing pongs are those of the previous page, which hasn't been unloaded yet. */
  function mayRunOldCode(): boolean {
    if (!page.isLoading) return page.mayRunOldCode;
    return page.isOutdated || !(isUnloading || frame?.awaitsHello);
  }

  /** Replaces an unresponsive page. Only removing the frame can stop code that doesn't return (P-21). */
  function restart(): void {
    // Changing a stylesheet can't fix an infinite loop.
    if (page.isStyleOnlyChange() || restartedVersion === moduleStore.version) return;
    restartedVersion = moduleStore.version;
    context.setState('starting');
    void open();
  }
}
