/**
 * srcdoc transport: runs a project in a document with an opaque origin, which receives all files at once
 * and becomes the page. Each run opens a new frame over the visible one and replaces it once it has
 * painted.
 */
import { encodePath, hasScripts, isStylePath, resolvePath } from '@vitrine/compiler';
import { findFilePath } from '../file-urls.ts';
import type { RuntimeError } from '../runtime-error-messages.ts';
import type { FromFrame } from '../protocol.ts';
import { findImportedStyles, isDocumentOnly, isStyleOnly } from './file-differences.ts';
import { openFrameConnection, type FrameConnection } from './frame-connection.ts';
import { findEntryPage } from './module-store.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createHotUpdates } from './hot-updates.ts';
import {
  inlineStaticPage,
  findNewModules,
  inlineNewModules,
  inlinePage,
  inlineStyles,
} from './srcdoc-files.ts';
import { createSessionHistory } from './session-history.ts';
import type { FileDifference } from './module-store.ts';
import type { PreviewTransport, PreviewContext } from './preview-context.ts';
import { createUpdateLock } from './update-lock.ts';
import { restartDebounceMs } from './watchdog.ts';

/** Limits of every preview with this transport. */
const limitations =
  'In this browser, previews have no persistent storage, workers, or URL of their own.';

/** Time a new page gets to paint before an edit replaces it with another one, and the silence after which a page counts as unresponsive. */
const unresponsiveMs = 400;
const helloTimeoutMs = 10_000;
/** Maximum number of missing files remembered per document; matches the frame's own limit (frame/errors.ts). */
const maxMissing = 50;

/** A frame and the state of its document. */
interface OpenFrame {
  frame: FrameConnection;
  heartbeat: Heartbeat;
  version: number;
  openedAt: number;
  isPainted: boolean;
  /** HTML of the page while it has no scripts, and can be patched; undefined otherwise. */
  html: string | undefined;
  /** The document is the 404 page. */
  isNotFound: boolean;
  /** Versions whose modules were sent and not acknowledged yet. */
  pendingVersions: Set<number>;
  /** Files and modules in the document's import map. */
  knownFiles: ReadonlySet<string>;
  /** Files that the page requested and that are missing. The page has to reload once one of them exists. */
  missingFiles: Set<string>;
  helloTimer: ReturnType<typeof setTimeout>;
}

export function createSrcdocTransport(context: PreviewContext, origin: string): PreviewTransport {
  const { options, moduleStore } = context;
  const entry = () => options.entry ?? findEntryPage(moduleStore);
  const sessionHistory = createSessionHistory(entry());
  /** The visible frame, and the one that will replace it. */
  let currentFrame: OpenFrame | undefined;
  let nextFrame: OpenFrame | undefined;
  /** Resolves when all earlier frames are gone. */
  let removal: Promise<unknown> | undefined;
  let scroll: [x: number, y: number] = [0, 0];
  const hotUpdates = createHotUpdates(moduleStore);
  /** Held while the page applies an HMR update. */
  const updateLock = createUpdateLock(() => deliver());
  /** Incremented whenever all frames are removed, so that a late restart is ignored. */
  let generation = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    open,
    update: deliver,
    navigate(address) {
      const { pathname, hash } = new URL(address, origin);
      visit(pathname, hash);
    },
    traverseHistory(by) {
      if (sessionHistory.traverse(by)) show();
    },
    reload() {
      if (!currentFrame || currentFrame.heartbeat.silentMs >= unresponsiveMs) return false;
      run();
      return true;
    },
    // The newest frame has already started a new log, so messages go to it.
    send: (message, ports) => (nextFrame ?? currentFrame)?.frame.send(message, ports),
    // There is no service worker; the network tool inside the frame applies the rules.
    sendNetworkRules: () => undefined,
    close: clear,
    dispose: () => void clear(),
  };

  function open(): void {
    context.setLimitations(limitations);
    const { path } = sessionHistory.current;
    if (moduleStore.read(path) === undefined && path !== entry())
      sessionHistory.push({ path: entry(), hash: '' });
    void restart();
  }

  /** Frames with an opaque origin share a process in Chromium, so an unresponsive one blocks a new one too. */
  async function restart(): Promise<void> {
    const previousRemoval = clear();
    const openGeneration = generation;
    await previousRemoval;
    if (openGeneration === generation) openNext();
  }

  /** Removes all frames. Resolves when they are gone. */
  async function clear(): Promise<void> {
    generation += 1;
    clearTimeout(retryTimer);
    removal = Promise.all([
      removal,
      currentFrame && end(currentFrame),
      nextFrame && end(nextFrame),
    ]);
    currentFrame = nextFrame = undefined;
    await removal;
  }

  function end(openFrame: OpenFrame): Promise<void> {
    clearTimeout(openFrame.helloTimer);
    const isUnresponsive = openFrame.heartbeat.silentMs >= unresponsiveMs;
    openFrame.heartbeat.close();
    return openFrame.frame.close(!isUnresponsive);
  }

  function openNext(): void {
    const { path } = sessionHistory.current;
    const isAbsent = moduleStore.read(path) === undefined;
    // For any other page the 404 page is shown, from which the user can go back.
    if (isAbsent && path === entry()) return context.fail('entry-missing');
    if (nextFrame) void end(nextFrame);
    updateLock.reset();
    hotUpdates.reset();
    const openFrame: OpenFrame = {
      frame: openFrameConnection(options.element, {
        title: options.title,
        url: `${origin}/__vitrine/portable`,
        origin: 'null',
        onHello: () => void write(openFrame),
        onMessage: (message) => onMessage(message, openFrame),
        onReloaded: () => reopen(openFrame),
        onNavigatedAway: () => context.fail('navigated-away'),
      }),
      heartbeat: createHeartbeat({
        sendPing: () => openFrame.frame.send({ type: 'ping', count: 0 }),
        onUnresponsive() {
          // The page became unresponsive with something older than the newest version.
          if (Math.min(...openFrame.pendingVersions) < moduleStore.version) restartUnresponsive();
          else context.setState('unresponsive');
        },
        onResponsive: () => context.setState('running'),
      }),
      version: moduleStore.version,
      openedAt: performance.now(),
      isPainted: false,
      html: undefined,
      isNotFound: isAbsent,
      pendingVersions: new Set(),
      knownFiles: new Set(),
      missingFiles: new Set(),
      helloTimer: setTimeout(() => context.fail('timeout'), helloTimeoutMs),
    };
    if (currentFrame) openFrame.frame.element.style.opacity = '0';
    nextFrame = openFrame;
  }

  async function write(openFrame: OpenFrame): Promise<void> {
    clearTimeout(openFrame.helloTimer);
    await context.prepare();
    if (openFrame !== nextFrame) return;
    moduleStore.setVersionQueries(new Map());
    openFrame.version = moduleStore.version;
    const project = { ...inlinePage(moduleStore, sessionHistory.current), scroll };
    openFrame.html = hasScripts(project.html) ? undefined : project.html;
    openFrame.knownFiles = new Set(project.files.map(([path]) => path));
    moduleStore.markRunning();
    context.beginDocument();
    context.setPage(sessionHistory.current.path);
    openFrame.frame.send({ type: 'write', project });
    openFrame.heartbeat.start();
  }

  function onMessage(message: FromFrame, openFrame: OpenFrame): void {
    if (message.type === 'pong') return openFrame.heartbeat.onPong();
    // Messages of the older page are outdated once a newer one is loading.
    if (nextFrame && openFrame !== nextFrame) return;
    switch (message.type) {
      case 'painted':
        openFrame.isPainted = true;
        if (openFrame === nextFrame) replaceVisible();
        if (openFrame.version === moduleStore.version) context.setState('running');
        deliver();
        break;
      case 'dialog':
        if (message.open) openFrame.heartbeat.pause();
        else openFrame.heartbeat.start();
        break;
      case 'scrolled':
        scroll = [message.x, message.y];
        break;
      case 'visit':
        visit(`/${encodePath(message.path)}`, message.hash);
        break;
      case 'address':
        reportAddress(message.address);
        break;
      case 'applied':
        updateLock.release(message.version);
        openFrame.pendingVersions.delete(message.version);
        if (message.outcome === 'done' || message.outcome === 'failed') {
          hotUpdates.complete(message.outcome === 'done');
          context.setState('running');
          deliver();
        } else run();
        break;
      case 'invalid':
        if (hotUpdates.invalidate(message.id)) deliver();
        else run();
        break;
      case 'problem':
        recordMissing(message.problem, openFrame);
        context.onMessage(message);
        break;
      default:
        context.onMessage(message);
    }
  }

  function recordMissing(problem: RuntimeError, { missingFiles }: OpenFrame): void {
    if (problem.kind !== 'resource' || missingFiles.size >= maxMissing) return;
    const path = problem.file || resolvePath(problem.page, problem.written);
    if (path !== undefined) missingFiles.add(path);
  }

  function replaceVisible(): void {
    if (currentFrame) void end(currentFrame);
    currentFrame = nextFrame;
    nextFrame = undefined;
    hotUpdates.setPage(sessionHistory.current.path);
    if (currentFrame) currentFrame.frame.element.style.opacity = '';
  }

  function visit(pathname: string, hash: string): void {
    const exists = (file: string) => moduleStore.read(file) !== undefined;
    const path = findFilePath(pathname, exists) ?? resolvePath('', pathname);
    if (path === undefined) return;
    sessionHistory.push({ path, hash });
    show();
  }

  /** After an edit, shows the page that was missing, or else the entry page. */
  function leaveNotFound(): void {
    if (moduleStore.read(sessionHistory.current.path) === undefined)
      sessionHistory.push({ path: entry(), hash: '' });
    show();
  }

  /** Opens the current history entry, scrolled to the top. */
  function show(): void {
    scroll = [0, 0];
    if (currentFrame ?? nextFrame) run();
  }

  /** Reports the URL. A fragment navigation stays within the history entry. */
  function reportAddress(address: string): void {
    const [hash = ''] = /#.*$/s.exec(address) ?? [];
    sessionHistory.setHash(hash);
    const { canGoBack, canGoForward } = sessionHistory;
    context.setAddress({ address, canGoBack, canGoForward });
  }

  function run(): void {
    context.setState(currentFrame ? 'updating' : 'starting');
    openNext();
  }

  /** Opens a document that reloads itself again, at most once per `unresponsiveMs`. */
  function reopen(openFrame: OpenFrame): void {
    const age = performance.now() - openFrame.openedAt;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(
      () => openFrame === (nextFrame ?? currentFrame) && run(),
      Math.max(0, unresponsiveMs - age),
    );
  }

  function deliver(): void {
    const openFrame = nextFrame ?? currentFrame;
    if (!openFrame || (openFrame.version === moduleStore.version && !hotUpdates.hasInvalidated))
      return;
    const difference = moduleStore.since(openFrame.version);
    if (openFrame === currentFrame && isStyleOnly(difference) && !hotUpdates.hasInvalidated)
      return applyStyles(currentFrame, difference.changed);
    if (openFrame === currentFrame && openFrame.isNotFound) return leaveNotFound();
    const isAlive = openFrame === currentFrame && openFrame.heartbeat.silentMs < unresponsiveMs;
    if (
      isAlive &&
      (updateLock.isHeld || patch(openFrame, difference) || update(openFrame, difference))
    )
      return;
    // A loading page gets time to paint, so that typing doesn't restart it over and over. A page that has
    // not responded yet may be unresponsive, and would block the next one.
    const { silentMs } = openFrame.heartbeat;
    const age = silentMs > 0 ? silentMs : performance.now() - openFrame.openedAt;
    clearTimeout(retryTimer);
    if (silentMs >= unresponsiveMs) retryTimer = setTimeout(restartUnresponsive, restartDebounceMs);
    else if (openFrame === currentFrame || age >= unresponsiveMs) run();
    else retryTimer = setTimeout(deliver, unresponsiveMs - age);
  }

  function restartUnresponsive(): void {
    const openFrame = nextFrame ?? currentFrame;
    if (!openFrame || openFrame.heartbeat.silentMs < unresponsiveMs) return deliver();
    context.setState('starting');
    void restart();
  }

  /** Patches the visible page; false if it has to be opened again. */
  function patch(openFrame: OpenFrame, difference: FileDifference): boolean {
    const { path } = sessionHistory.current;
    const { html: before } = openFrame;
    if (before === undefined || hotUpdates.hasInvalidated || !isDocumentOnly(difference, path))
      return false;
    const text = inlineStaticPage(moduleStore, path);
    if (text === undefined) return false;
    // Styles first, so that new elements are styled at once.
    const styles = difference.changed.filter(isStylePath);
    if (styles.length > 0) applyStyles(openFrame, styles);
    openFrame.html = text;
    openFrame.version = moduleStore.version;
    openFrame.frame.send({ type: 'document', before, text, version: openFrame.version });
    return true;
  }

  /** Sends new modules to the visible page; false if it has to be opened again. */
  function update(openFrame: OpenFrame, difference: FileDifference): boolean {
    const plan = hotUpdates.plan(difference);
    if (!plan) return false;
    if (plan.updates.length === 0) {
      // A new file that nothing imports yet matters only if the page has it or has requested it.
      const { knownFiles, missingFiles } = openFrame;
      if (plan.unreachable.some((path) => knownFiles.has(path) || missingFiles.has(path)))
        return false;
      openFrame.version = moduleStore.version;
      return true;
    }
    const ids = findNewModules(moduleStore, plan, openFrame.knownFiles);
    if (!ids) return false;
    hotUpdates.assignVersions(ids);
    const files = inlineNewModules(moduleStore, ids);
    openFrame.version = moduleStore.version;
    openFrame.pendingVersions.add(openFrame.version);
    updateLock.acquire(openFrame.version);
    context.beginUpdate();
    openFrame.frame.send(
      hotUpdates.createMessage(plan, { files, styles: inlineStyles(moduleStore, plan.styles) }),
    );
    return true;
  }

  function applyStyles(openFrame: OpenFrame, changed: readonly string[]): void {
    openFrame.version = moduleStore.version;
    const styles = inlineStyles(moduleStore, changed);
    const parts = findImportedStyles(
      styles.map(([path]) => path),
      moduleStore,
    );
    openFrame.frame.send({ type: 'style', styles, parts, version: openFrame.version });
  }
}
