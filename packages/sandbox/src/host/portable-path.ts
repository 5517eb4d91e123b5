/**
 * srcdoc transport: runs a project in a document with an opaque origin, which receives all files at once
 * and becomes the page. Each run opens a new frame over the visible one and replaces it once it has
 * painted.
 */
import { encodePath, hasScripts, isStylePath, resolvePath } from '@vitrine/compiler';
import { findFilePath } from '../file-addresses.ts';
import type { RuntimeProblem } from '../problem-messages.ts';
import type { FromFrame } from '../protocol.ts';
import { findParts, isDocumentOnly, isStyleOnly } from './differences.ts';
import { openFrame, type Frame } from './frame.ts';
import { findEntry } from './sources.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createHotUpdates } from './hot-updates.ts';
import {
  findMarkup,
  findNewModules,
  inlineNew,
  inlinePage,
  inlineStyles,
} from './portable-files.ts';
import { createVisits } from './portable-visits.ts';
import type { Difference } from './sources.ts';
import type { Path, Stage } from './stage.ts';
import { createUpdateTurn } from './update-turn.ts';
import { quietMs } from './watchdog.ts';

/** Limits of every preview with this transport. */
const limitations =
  'In this browser, previews have no persistent storage, workers or URL of their own.';

/** Time a new page gets to paint before an edit replaces it with another one, and the silence after which a page counts as unresponsive. */
const unresponsiveMs = 400;
const helloTimeoutMs = 10_000;
/** Most missing files remembered per document; matches the frame's own limit (frame/problems.ts). */
const maxMissing = 50;

/** A frame and the state of its document. */
interface OpenFrame {
  frame: Frame;
  heartbeat: Heartbeat;
  version: number;
  openedAt: number;
  isPainted: boolean;
  /** HTML of the page while it has no scripts, and can be patched; undefined otherwise. */
  markup: string | undefined;
  /** The document is the 404 page. */
  isAbsent: boolean;
  /** Versions whose modules were sent and not acknowledged yet. */
  unfinished: Set<number>;
  /** Files and modules in the document's import map. */
  known: ReadonlySet<string>;
  /** Files that the page requested and that are missing. The page has to reload once one of them exists. */
  missed: Set<string>;
  helloTimer: ReturnType<typeof setTimeout>;
}

export function createPortablePath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  const entry = () => options.entry ?? findEntry(sources);
  const visits = createVisits(entry());
  /** The visible frame, and the one that will replace it. */
  let current: OpenFrame | undefined;
  let next: OpenFrame | undefined;
  /** Resolves when all earlier frames are gone. */
  let removal: Promise<unknown> | undefined;
  let scroll: [x: number, y: number] = [0, 0];
  const hot = createHotUpdates(sources);
  /** Held while the page applies an HMR update. */
  const turn = createUpdateTurn(() => deliver());
  /** Incremented whenever all frames are removed, so that a late restart is ignored. */
  let generation = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    open,
    deliver,
    visit(address) {
      const { pathname, hash } = new URL(address, origin);
      visit(pathname, hash);
    },
    travel(by) {
      if (visits.travel(by)) show();
    },
    reload() {
      if (!current || current.heartbeat.silentMs >= unresponsiveMs) return false;
      run();
      return true;
    },
    // The newest frame has already started a new log, so messages go to it.
    send: (message, ports) => (next ?? current)?.frame.send(message, ports),
    // There is no service worker; the network tool inside the frame applies the rules.
    relayRules: () => undefined,
    close: clear,
    forget: () => void clear(),
  };

  function open(): void {
    stage.setMissing(limitations);
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
    const isAbsent = sources.read(path) === undefined;
    // For any other page the 404 page is shown, from which the user can go back.
    if (isAbsent && path === entry()) return stage.fail('absent');
    if (next) void end(next);
    turn.abandon();
    hot.forget();
    const instance: OpenFrame = {
      frame: openFrame(options.element, {
        title: options.title,
        address: `${origin}/__vitrine/portable`,
        origin: 'null',
        onHello: () => void write(instance),
        onMessage: (message) => onMessage(message, instance),
        onAgain: () => reopen(instance),
        onStranger: () => stage.fail('left'),
      }),
      heartbeat: createHeartbeat({
        sendPing: () => instance.frame.send({ type: 'ping', count: 0 }),
        onUnresponsive() {
          // The page became unresponsive with something older than the newest version.
          if (Math.min(...instance.unfinished) < sources.version) restartUnresponsive();
          else stage.setState('stalled');
        },
        onResponsive: () => stage.setState('running'),
      }),
      version: sources.version,
      openedAt: performance.now(),
      isPainted: false,
      markup: undefined,
      isAbsent,
      unfinished: new Set(),
      known: new Set(),
      missed: new Set(),
      helloTimer: setTimeout(() => stage.fail('no-answer'), helloTimeoutMs),
    };
    if (current) instance.frame.element.style.opacity = '0';
    next = instance;
  }

  async function write(instance: OpenFrame): Promise<void> {
    clearTimeout(instance.helloTimer);
    await stage.prepare();
    if (instance !== next) return;
    sources.setStamps(new Map());
    instance.version = sources.version;
    const project = { ...inlinePage(sources, visits.current), scroll };
    instance.markup = hasScripts(project.html) ? undefined : project.html;
    instance.known = new Set(project.files.map(([path]) => path));
    sources.settle();
    stage.beginDocument();
    stage.setPage(visits.current.path);
    instance.frame.send({ type: 'write', project });
    instance.heartbeat.start();
  }

  function onMessage(message: FromFrame, instance: OpenFrame): void {
    if (message.type === 'pong') return instance.heartbeat.heard();
    // Messages of the older page are outdated once a newer one is loading.
    if (next && instance !== next) return;
    switch (message.type) {
      case 'painted':
        instance.isPainted = true;
        if (instance === next) replaceVisible();
        if (instance.version === sources.version) stage.setState('running');
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
        turn.end(message.version);
        instance.unfinished.delete(message.version);
        if (message.outcome === 'done' || message.outcome === 'failed') {
          hot.end(message.outcome === 'done');
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
        stage.hear(message);
        break;
      default:
        stage.hear(message);
    }
  }

  function recordMissing(problem: RuntimeProblem, { missed }: OpenFrame): void {
    if (problem.kind !== 'resource' || missed.size >= maxMissing) return;
    const path = problem.file || resolvePath(problem.page, problem.written);
    if (path !== undefined) missed.add(path);
  }

  function replaceVisible(): void {
    if (current) void end(current);
    current = next;
    next = undefined;
    hot.begin(visits.current.path);
    if (current) current.frame.element.style.opacity = '';
  }

  function visit(pathname: string, hash: string): void {
    const isThere = (file: string) => sources.read(file) !== undefined;
    const path = findFilePath(pathname, isThere) ?? resolvePath('', pathname);
    if (path === undefined) return;
    visits.add({ path, hash });
    show();
  }

  /** After an edit, shows the page that was missing, or else the entry page. */
  function leaveNotFound(): void {
    if (sources.read(visits.current.path) === undefined) visits.add({ path: entry(), hash: '' });
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
    if (!instance || (instance.version === sources.version && !hot.hasInvalid)) return;
    const difference = sources.since(instance.version);
    if (instance === current && isStyleOnly(difference) && !hot.hasInvalid)
      return applyStyles(current, difference.changed);
    if (instance === current && instance.isAbsent) return leaveNotFound();
    const isAlive = instance === current && instance.heartbeat.silentMs < unresponsiveMs;
    if (isAlive && (turn.isTaken || patch(instance, difference) || update(instance, difference)))
      return;
    // A loading page gets time to paint, so that typing doesn't restart it over and over. A page that has
    // not responded yet may be unresponsive, and would block the next one.
    const { silentMs } = instance.heartbeat;
    const age = silentMs > 0 ? silentMs : performance.now() - instance.openedAt;
    clearTimeout(retryTimer);
    if (silentMs >= unresponsiveMs) retryTimer = setTimeout(restartUnresponsive, quietMs);
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
  function patch(instance: OpenFrame, difference: Difference): boolean {
    const { path } = visits.current;
    const { markup: before } = instance;
    if (before === undefined || hot.hasInvalid || !isDocumentOnly(difference, path)) return false;
    const text = findMarkup(sources, path);
    if (text === undefined) return false;
    // Styles first, so that new elements are styled at once.
    const styles = difference.changed.filter(isStylePath);
    if (styles.length > 0) applyStyles(instance, styles);
    instance.markup = text;
    instance.version = sources.version;
    instance.frame.send({ type: 'document', before, text, version: instance.version });
    return true;
  }

  /** Sends new modules to the visible page; false if it has to be opened again. */
  function update(instance: OpenFrame, difference: Difference): boolean {
    const plan = hot.plan(difference);
    if (!plan) return false;
    if (plan.updates.length === 0) {
      // A new file that nothing imports yet matters only if the page has it or has requested it.
      const { known, missed } = instance;
      if (plan.unreached.some((path) => known.has(path) || missed.has(path))) return false;
      instance.version = sources.version;
      return true;
    }
    const ids = findNewModules(sources, plan, instance.known);
    if (!ids) return false;
    hot.stamp(ids);
    const files = inlineNew(sources, ids);
    instance.version = sources.version;
    instance.unfinished.add(instance.version);
    turn.take(instance.version);
    stage.beginUpdate();
    instance.frame.send(hot.send(plan, { files, styles: inlineStyles(sources, plan.styles) }));
    return true;
  }

  function applyStyles(instance: OpenFrame, changed: readonly string[]): void {
    instance.version = sources.version;
    const styles = inlineStyles(sources, changed);
    const parts = findParts(
      styles.map(([path]) => path),
      sources,
    );
    instance.frame.send({ type: 'style', styles, parts, version: instance.version });
  }
}
