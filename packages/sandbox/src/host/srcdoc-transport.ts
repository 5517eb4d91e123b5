/**
 * srcdoc transport: runs a project in a document with an opaque origin, which receives all files at once
 * and becomes the page. Each run opens a new frame over the visible one and replaces it once it has
 * painted.
 */
import { encodePath, hasScripts, isStylePath, resolvePath } from '@vitrine/compiler';
import { findFilePath } from '../file-addresses.ts';
import type { RuntimeError } from '../problem-messages.ts';
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
/** Most missing files remembered per document; matches the frame's own limit (frame/errors.ts). */
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

export function createSrcdocTransport(stage: PreviewContext, origin: string): PreviewTransport {
  const { options, moduleStore } = stage;
  const entry = () => options.entry ?? findEntryPage(moduleStore);
  const visits = createSessionHistory(entry());
  /** The visible frame, and the one that will replace it. */
  let current: OpenFrame | undefined;
  let next: OpenFrame | undefined;
  /** Resolves when all earlier frames are gone. */
  let removal: Promise<unknown> | undefined;
  let scroll: [x: number, y: number] = [0, 0];
  const hot = createHotUpdates(moduleStore);
  /** Held while the page applies an HMR update. */
  const turn = createUpdateLock(() => deliver());
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
      if (visits.traverse(by)) show();
    },
    reload() {
      if (!current || current.heartbeat.silentMs >= unresponsiveMs) return false;
      run();
      return true;
    },
    // The newest frame has already started a new log, so messages go to it.
    send: (message, ports) => (next ?? current)?.frame.send(message, ports),
    // There is no service worker; the network tool inside the frame applies the rules.
    sendNetworkRules: () => undefined,
    close: clear,
    dispose: () => void clear(),
  };

  function open(): void {
    stage.setLimitations(limitations);
    void restart();
  }

  /** Frames with an opaque origin share a process in Chromium, so an unresponsive one blocks a new one too. */
  async function restart(): Promise<void> {
    const before = clear();
    const then = generation;
    await before;
    if (then === generation) openNext();
  }

  /** Removes all frames. Resolves when they are gone. */
  async function clear(): Promise<void> {
    generation += 1;
    clearTimeout(retryTimer);
    removal = Promise.all([removal, current && end(current), next && end(next)]);
    current = next = undefined;
    await removal;
  }

  function end(instance: OpenFrame): Promise<void> {
    clearTimeout(instance.helloTimer);
    const isUnresponsive = instance.heartbeat.silentMs >= unresponsiveMs;
    instance.heartbeat.close();
    return instance.frame.close(!isUnresponsive);
  }

  function openNext(): void {
    const { path } = visits.current;
    const isAbsent = moduleStore.read(path) === undefined;
    // For any other page the 404 page is shown, from which the user can go back.
    if (isAbsent && path === entry()) return stage.fail('absent');
    if (next) void end(next);
    turn.reset();
    hot.reset();
    const instance: OpenFrame = {
      frame: openFrameConnection(options.element, {
        title: options.title,
        address: `${origin}/__vitrine/portable`,
        origin: 'null',
        onHello: () => void write(instance),
        onMessage: (message) => onMessage(message, instance),
        onReloaded: () => reopen(instance),
        onStranger: () => stage.fail('left'),
      }),
      heartbeat: createHeartbeat({
        sendPing: () => instance.frame.send({ type: 'ping', count: 0 }),
        onUnresponsive() {
          // The page became unresponsive with something older than the newest version.
          if (Math.min(...instance.pendingVersions) < moduleStore.version) restartUnresponsive();
          else stage.setState('stalled');
        },
        onResponsive: () => stage.setState('running'),
      }),
      version: moduleStore.version,
      openedAt: performance.now(),
      isPainted: false,
      html: undefined,
      isNotFound: isAbsent,
      pendingVersions: new Set(),
      knownFiles: new Set(),
      missingFiles: new Set(),
      helloTimer: setTimeout(() => stage.fail('no-answer'), helloTimeoutMs),
    };
    if (current) instance.frame.element.style.opacity = '0';
    next = instance;
  }

  async function write(instance: OpenFrame): Promise<void> {
    clearTimeout(instance.helloTimer);
    await stage.prepare();
    if (instance !== next) return;
    moduleStore.setVersionQueries(new Map());
    instance.version = moduleStore.version;
    const project = { ...inlinePage(moduleStore, visits.current), scroll };
    instance.html = hasScripts(project.html) ? undefined : project.html;
    instance.knownFiles = new Set(project.files.map(([path]) => path));
    moduleStore.markRunning();
    stage.beginDocument();
    stage.setPage(visits.current.path);
    instance.frame.send({ type: 'write', project });
    instance.heartbeat.start();
  }

  function onMessage(message: FromFrame, instance: OpenFrame): void {
    if (message.type === 'pong') return instance.heartbeat.onPong();
    // Messages of the older page are outdated once a newer one is loading.
    if (next && instance !== next) return;
    switch (message.type) {
      case 'painted':
        instance.isPainted = true;
        if (instance === next) replaceVisible();
        if (instance.version === moduleStore.version) stage.setState('running');
        deliver();
        break;
      case 'dialog':
        if (message.open) instance.heartbeat.pause();
        else instance.heartbeat.start();
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
        turn.release(message.version);
        instance.pendingVersions.delete(message.version);
        if (message.outcome === 'done' || message.outcome === 'failed') {
          hot.complete(message.outcome === 'done');
          stage.setState('running');
          deliver();
        } else run();
        break;
      case 'invalid':
        if (hot.invalidate(message.id)) deliver();
        else run();
        break;
      case 'problem':
        recordMissing(message.problem, instance);
        stage.onMessage(message);
        break;
      default:
        stage.onMessage(message);
    }
  }

  function recordMissing(problem: RuntimeError, { missingFiles }: OpenFrame): void {
    if (problem.kind !== 'resource' || missingFiles.size >= maxMissing) return;
    const path = problem.file || resolvePath(problem.page, problem.written);
    if (path !== undefined) missingFiles.add(path);
  }

  function replaceVisible(): void {
    if (current) void end(current);
    current = next;
    next = undefined;
    hot.setPage(visits.current.path);
    if (current) current.frame.element.style.opacity = '';
  }

  function visit(pathname: string, hash: string): void {
    const isThere = (file: string) => moduleStore.read(file) !== undefined;
    const path = findFilePath(pathname, isThere) ?? resolvePath('', pathname);
    if (path === undefined) return;
    visits.push({ path, hash });
    show();
  }

  /** After an edit, shows the page that was missing, or else the entry page. */
  function leaveNotFound(): void {
    if (moduleStore.read(visits.current.path) === undefined)
      visits.push({ path: entry(), hash: '' });
    show();
  }

  /** Opens the current history entry, scrolled to the top. */
  function show(): void {
    scroll = [0, 0];
    if (current ?? next) run();
  }

  /** Reports the URL. A fragment navigation stays within the history entry. */
  function reportAddress(address: string): void {
    const [hash = ''] = /#.*$/s.exec(address) ?? [];
    visits.setHash(hash);
    const { canGoBack, canGoForward } = visits;
    stage.setAddress({ address, canGoBack, canGoForward });
  }

  function run(): void {
    stage.setState(current ? 'updating' : 'starting');
    openNext();
  }

  /** Opens a document that reloads itself again, at most once per `unresponsiveMs`. */
  function reopen(instance: OpenFrame): void {
    const age = performance.now() - instance.openedAt;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(
      () => instance === (next ?? current) && run(),
      Math.max(0, unresponsiveMs - age),
    );
  }

  function deliver(): void {
    const instance = next ?? current;
    if (!instance || (instance.version === moduleStore.version && !hot.hasInvalidated)) return;
    const difference = moduleStore.since(instance.version);
    if (instance === current && isStyleOnly(difference) && !hot.hasInvalidated)
      return applyStyles(current, difference.changed);
    if (instance === current && instance.isNotFound) return leaveNotFound();
    const isAlive = instance === current && instance.heartbeat.silentMs < unresponsiveMs;
    if (isAlive && (turn.isHeld || patch(instance, difference) || update(instance, difference)))
      return;
    // A loading page gets time to paint, so that typing doesn't restart it over and over. A page that has
    // not responded yet may be unresponsive, and would block the next one.
    const { silentMs } = instance.heartbeat;
    const age = silentMs > 0 ? silentMs : performance.now() - instance.openedAt;
    clearTimeout(retryTimer);
    if (silentMs >= unresponsiveMs) retryTimer = setTimeout(restartUnresponsive, restartDebounceMs);
    else if (instance === current || age >= unresponsiveMs) run();
    else retryTimer = setTimeout(deliver, unresponsiveMs - age);
  }

  function restartUnresponsive(): void {
    const instance = next ?? current;
    if (!instance || instance.heartbeat.silentMs < unresponsiveMs) return deliver();
    stage.setState('starting');
    void restart();
  }

  /** Patches the visible page; false if it has to be opened again. */
  function patch(instance: OpenFrame, difference: FileDifference): boolean {
    const { path } = visits.current;
    const { html: before } = instance;
    if (before === undefined || hot.hasInvalidated || !isDocumentOnly(difference, path))
      return false;
    const text = inlineStaticPage(moduleStore, path);
    if (text === undefined) return false;
    // Styles first, so that new elements are styled at once.
    const styles = difference.changed.filter(isStylePath);
    if (styles.length > 0) applyStyles(instance, styles);
    instance.html = text;
    instance.version = moduleStore.version;
    instance.frame.send({ type: 'document', before, text, version: instance.version });
    return true;
  }

  /** Sends new modules to the visible page; false if it has to be opened again. */
  function update(instance: OpenFrame, difference: FileDifference): boolean {
    const plan = hot.plan(difference);
    if (!plan) return false;
    if (plan.updates.length === 0) {
      // A new file that nothing imports yet matters only if the page has it or has requested it.
      const { knownFiles, missingFiles } = instance;
      if (plan.unreachable.some((path) => knownFiles.has(path) || missingFiles.has(path)))
        return false;
      instance.version = moduleStore.version;
      return true;
    }
    const ids = findNewModules(moduleStore, plan, instance.knownFiles);
    if (!ids) return false;
    hot.assignVersions(ids);
    const files = inlineNewModules(moduleStore, ids);
    instance.version = moduleStore.version;
    instance.pendingVersions.add(instance.version);
    turn.acquire(instance.version);
    stage.beginUpdate();
    instance.frame.send(
      hot.createMessage(plan, { files, styles: inlineStyles(moduleStore, plan.styles) }),
    );
    return true;
  }

  function applyStyles(instance: OpenFrame, changed: readonly string[]): void {
    instance.version = moduleStore.version;
    const styles = inlineStyles(moduleStore, changed);
    const parts = findImportedStyles(
      styles.map(([path]) => path),
      moduleStore,
    );
    instance.frame.send({ type: 'style', styles, parts, version: instance.version });
  }
}
