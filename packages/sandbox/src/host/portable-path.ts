/**
 * The portable path: a document of no origin that becomes the whole project at once. Each run is a
 * new frame, laid over the one that still shows and taken for it when it has painted.
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

/** What every preview on this path lacks. */
const missing =
  'In this browser, previews have no persistent storage, workers or URL of their own.';

/** A new page may take this long to show before an edit starts another in its place. */
const patienceMs = 400;
const helloWithinMs = 10_000;
/** As many as one document tells of (frame/problems.ts). */
const missedAtMost = 50;

/** One frame and what it runs. */
interface Showing {
  frame: Frame;
  heartbeat: Heartbeat;
  version: number;
  openedAt: number;
  isPainted: boolean;
  /** What its page is written from, while that has no scripts. */
  markup: string | undefined;
  /** It says that there is no such page. */
  isAbsent: boolean;
  /** Versions of which it was given new modules, and has not said to be done with. */
  unfinished: Set<number>;
  /** Files and modules that the page began with, which its import map knows. */
  known: ReadonlySet<string>;
  /** Files that the page asked for and did not get: once they are there it has to ask again. */
  missed: Set<string>;
  helloTimer: ReturnType<typeof setTimeout>;
}

export function createPortablePath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  const entry = () => options.entry ?? findEntry(sources);
  const visits = createVisits(entry());
  /** What shows, and what is to take its place. */
  let current: Showing | undefined;
  let next: Showing | undefined;
  /** Done when those before are gone. */
  let gone: Promise<unknown> | undefined;
  let scroll: [x: number, y: number] = [0, 0];
  const hot = createHotUpdates(sources);
  /** The page's turn to take new modules. */
  const turn = createUpdateTurn(() => deliver());
  /** Counts up whenever all frames go, so that a late restart is seen to be late. */
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
      if (!current || current.heartbeat.silentMs >= patienceMs) return false;
      run();
      return true;
    },
    // What is on its way has begun the log anew; questions are for it.
    send: (message, ports) => (next ?? current)?.frame.send(message, ports),
    // Nothing here goes over the network but what the frame's own tool can hold up.
    relayRules: () => undefined,
    close: clear,
    forget: () => void clear(),
  };

  function open(): void {
    stage.setMissing(missing);
    void restart();
  }

  /** Frames of this path share a process in Chromium: one that hangs takes the others with it. */
  async function restart(): Promise<void> {
    const before = clear();
    const then = generation;
    await before;
    if (then === generation) openNext();
  }

  /** Done when no frame is left. */
  async function clear(): Promise<void> {
    generation += 1;
    clearTimeout(retryTimer);
    gone = Promise.all([gone, current && end(current), next && end(next)]);
    current = next = undefined;
    await gone;
  }

  function end(showing: Showing): Promise<void> {
    clearTimeout(showing.helloTimer);
    const isHung = showing.heartbeat.silentMs >= patienceMs;
    showing.heartbeat.close();
    return showing.frame.close(!isHung);
  }

  function openNext(): void {
    const { path } = visits.current;
    const isAbsent = sources.read(path) === undefined;
    // Whoever asked for another page is told on it, and can go back.
    if (isAbsent && path === entry()) return stage.fail('absent');
    if (next) void end(next);
    turn.abandon();
    hot.forget();
    const showing: Showing = {
      frame: openFrame(options.element, {
        title: options.title,
        address: `${origin}/__vitrine/portable`,
        origin: 'null',
        onHello: () => void write(showing),
        onMessage: (message) => onMessage(message, showing),
        onAgain: () => runAgain(showing),
        onStranger: () => stage.fail('left'),
      }),
      heartbeat: createHeartbeat({
        ask: () => showing.frame.send({ type: 'ping', count: 0 }),
        onStalled() {
          // What hangs is older than what it was given since.
          if (Math.min(...showing.unfinished) < sources.version) restartHung();
          else stage.setState('stalled');
        },
        onBack: () => stage.setState('running'),
      }),
      version: sources.version,
      openedAt: performance.now(),
      isPainted: false,
      markup: undefined,
      isAbsent,
      unfinished: new Set(),
      known: new Set(),
      missed: new Set(),
      helloTimer: setTimeout(() => stage.fail('no-answer'), helloWithinMs),
    };
    if (current) showing.frame.element.style.opacity = '0';
    next = showing;
  }

  async function write(showing: Showing): Promise<void> {
    clearTimeout(showing.helloTimer);
    await stage.prepare();
    if (showing !== next) return;
    sources.setStamps(new Map());
    showing.version = sources.version;
    const project = { ...inlinePage(sources, visits.current), scroll };
    showing.markup = hasScripts(project.html) ? undefined : project.html;
    showing.known = new Set(project.files.map(([path]) => path));
    sources.settle();
    stage.beginDocument();
    stage.setPage(visits.current.path);
    showing.frame.send({ type: 'write', project });
    showing.heartbeat.start();
  }

  function onMessage(message: FromFrame, showing: Showing): void {
    if (message.type === 'pong') return showing.heartbeat.heard();
    // Once there is a newer page, what the older one says is over.
    if (next && showing !== next) return;
    switch (message.type) {
      case 'painted':
        showing.isPainted = true;
        if (showing === next) takeOver();
        if (showing.version === sources.version) stage.setState('running');
        deliver();
        break;
      case 'dialog':
        if (message.open) showing.heartbeat.pause();
        else showing.heartbeat.start();
        break;
      case 'scrolled':
        scroll = [message.x, message.y];
        break;
      case 'visit':
        visit(`/${encodePath(message.path)}`, message.hash);
        break;
      case 'address':
        tellAddress(message.address);
        break;
      case 'applied':
        turn.end(message.version);
        showing.unfinished.delete(message.version);
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
        noteMissed(message.problem, showing);
        stage.hear(message);
        break;
      default:
        stage.hear(message);
    }
  }

  function noteMissed(problem: RuntimeProblem, { missed }: Showing): void {
    if (problem.kind !== 'resource' || missed.size >= missedAtMost) return;
    const path = problem.file || resolvePath(problem.page, problem.written);
    if (path !== undefined) missed.add(path);
  }

  function takeOver(): void {
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

  /** An edit shows the page that was not there, if it is now, or else the first one. */
  function leaveAbsent(): void {
    if (sources.read(visits.current.path) === undefined) visits.add({ path: entry(), hash: '' });
    show();
  }

  /** The page that is visited now, from its top. */
  function show(): void {
    scroll = [0, 0];
    if (current ?? next) run();
  }

  /** A fragment may be followed within the page; it is the same visit. */
  function tellAddress(address: string): void {
    const [hash = ''] = /#.*$/s.exec(address) ?? [];
    visits.setHash(hash);
    const { canGoBack, canGoForward } = visits;
    stage.setAddress({ address, canGoBack, canGoForward });
  }

  function run(): void {
    stage.setState(current ? 'updating' : 'starting');
    openNext();
  }

  /** A page that never rests from loading itself again does so a few times a second. */
  function runAgain(showing: Showing): void {
    const age = performance.now() - showing.openedAt;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(
      () => showing === (next ?? current) && run(),
      Math.max(0, patienceMs - age),
    );
  }

  function deliver(): void {
    const showing = next ?? current;
    if (!showing || (showing.version === sources.version && !hot.hasInvalid)) return;
    const difference = sources.since(showing.version);
    if (showing === current && isStyleOnly(difference) && !hot.hasInvalid)
      return applyStyles(current, difference.changed);
    if (showing === current && showing.isAbsent) return leaveAbsent();
    const isAlive = showing === current && showing.heartbeat.silentMs < patienceMs;
    if (isAlive && (turn.isTaken || patch(showing, difference) || update(showing, difference)))
      return;
    // A page on its way gets its time, so that typing does not keep starting it anew. One that has not
    // answered yet may hang, and would take the next one with it.
    const { silentMs } = showing.heartbeat;
    const age = silentMs > 0 ? silentMs : performance.now() - showing.openedAt;
    clearTimeout(retryTimer);
    if (silentMs >= patienceMs) retryTimer = setTimeout(restartHung, quietMs);
    else if (showing === current || age >= patienceMs) run();
    else retryTimer = setTimeout(deliver, patienceMs - age);
  }

  function restartHung(): void {
    const showing = next ?? current;
    if (!showing || showing.heartbeat.silentMs < patienceMs) return deliver();
    stage.setState('starting');
    void restart();
  }

  /** Makes the page that shows what it says by now; false where it has to be made anew. */
  function patch(showing: Showing, difference: Difference): boolean {
    const { path } = visits.current;
    const { markup: before } = showing;
    if (before === undefined || hot.hasInvalid || !isDocumentOnly(difference, path)) return false;
    const text = findMarkup(sources, path);
    if (text === undefined) return false;
    // What is new is styled at once.
    const styles = difference.changed.filter(isStylePath);
    if (styles.length > 0) applyStyles(showing, styles);
    showing.markup = text;
    showing.version = sources.version;
    showing.frame.send({ type: 'document', before, text, version: showing.version });
    return true;
  }

  /** Gives new modules to the page that shows; false where it has to be made anew. */
  function update(showing: Showing, difference: Difference): boolean {
    const plan = hot.plan(difference);
    if (!plan) return false;
    if (plan.updates.length === 0) {
      // What is new, and not yet imported, is nothing to the page unless it has missed it.
      const { known, missed } = showing;
      if (plan.unreached.some((path) => known.has(path) || missed.has(path))) return false;
      showing.version = sources.version;
      return true;
    }
    const ids = findNewModules(sources, plan, showing.known);
    if (!ids) return false;
    hot.stamp(ids);
    const files = inlineNew(sources, ids);
    showing.version = sources.version;
    showing.unfinished.add(showing.version);
    turn.take(showing.version);
    stage.beginUpdate();
    showing.frame.send(hot.send(plan, { files, styles: inlineStyles(sources, plan.styles) }));
    return true;
  }

  function applyStyles(showing: Showing, changed: readonly string[]): void {
    showing.version = sources.version;
    const styles = inlineStyles(sources, changed);
    const parts = findParts(
      styles.map(([path]) => path),
      sources,
    );
    showing.frame.send({ type: 'style', styles, parts, version: showing.version });
  }
}
