/**
 * The portable path: a document of no origin that becomes the whole project at once. Each run is a
 * new frame, laid over the one that still shows and taken for it when it has painted.
 */
import {
  absentAddress,
  encodePath,
  fileAddress,
  flattenCss,
  inlineModules,
  inlineProject,
  isStylePath,
} from '@vitrine/compiler';
import { findFilePath } from '../file-addresses.ts';
import type { FromFrame, InlinedFile, PortableProject } from '../protocol.ts';
import { findImporters, findParts, isStyleOnly } from './differences.ts';
import { openFrame, type Frame } from './frame.ts';
import { findEntry } from './sources.ts';
import { createHeartbeat, type Heartbeat } from './heartbeat.ts';
import { createHotUpdates } from './hot-updates.ts';
import { orderModules } from './order-modules.ts';
import { pathOfId, type UpdatePlan } from './plan-update.ts';
import type { Difference } from './sources.ts';
import type { Path, Stage } from './stage.ts';
import { createUpdateTurn } from './update-turn.ts';
import { quietMs } from './watchdog.ts';

/** What every preview on this path lacks. */
const missing =
  'The result has no storage and no address of its own here: what the page stores is forgotten when it runs again, and workers do not start.';

/** A new page may take this long to show before an edit starts another in its place. */
const patienceMs = 400;
const helloWithinMs = 10_000;
const keptVisits = 100;

/** One frame and what it runs. */
interface Showing {
  frame: Frame;
  heartbeat: Heartbeat;
  version: number;
  openedAt: number;
  isPainted: boolean;
  /** Files and modules that the page began with, which its import map knows. */
  known: ReadonlySet<string>;
  helloTimer: ReturnType<typeof setTimeout>;
}

/** A page that was shown; each run of it is a new document, so the frame has no history of its own. */
interface Visit {
  path: string;
  /** "#top" or "". */
  hash: string;
}

export function createPortablePath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  /** The pages that were shown, oldest first, and which of them is. */
  let visits: readonly Visit[] = [{ path: options.entry ?? findEntry(sources), hash: '' }];
  let at = 0;
  /** What shows, and what is to take its place. */
  let current: Showing | undefined;
  let next: Showing | undefined;
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
      if (visits[at + by]) goTo(at + by);
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

  function page(): Visit {
    const visit = visits[at];
    if (!visit) throw new Error(`there is no page ${at} of ${visits.length}`);
    return visit;
  }

  function open(): void {
    stage.setMissing(missing);
    void restart();
  }

  /** Frames of this path share a process in Chromium: one that hangs takes the others with it. */
  async function restart(): Promise<void> {
    const gone = clear();
    const before = generation;
    await gone;
    if (before === generation) openNext();
  }

  /** Done when no frame is left. */
  async function clear(): Promise<void> {
    generation += 1;
    clearTimeout(retryTimer);
    const gone = [current, next].map((showing) => showing && end(showing));
    current = next = undefined;
    await Promise.all(gone);
  }

  function end(showing: Showing): Promise<void> {
    clearTimeout(showing.helloTimer);
    showing.heartbeat.close();
    return showing.frame.close();
  }

  function openNext(): void {
    if (sources.read(page().path) === undefined) return stage.fail('absent');
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
        onStranger: () => stage.fail('left'),
      }),
      heartbeat: createHeartbeat({
        ask: () => showing.frame.send({ type: 'ping', count: 0 }),
        onStalled: () => stage.setState('stalled'),
        onBack: () => stage.setState('running'),
      }),
      version: sources.version,
      openedAt: performance.now(),
      isPainted: false,
      known: new Set(),
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
    const project = inline();
    showing.known = new Set(project.files.map(([path]) => path));
    sources.settle();
    stage.beginDocument();
    stage.setPage(page().path);
    showing.frame.send({ type: 'write', project });
    showing.heartbeat.start();
  }

  function inline(): PortableProject {
    const { path, hash } = page();
    const inlined = inlineProject(sources.forms(), path);
    return {
      path,
      html: inlined.html,
      files: inlined.files.map(({ path, text, mediaType }) => [path, text, mediaType]),
      scroll,
      hash,
    };
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
      default:
        stage.hear(message);
    }
  }

  function takeOver(): void {
    if (current) void end(current);
    current = next;
    next = undefined;
    hot.begin(page().path);
    if (current) current.frame.element.style.opacity = '';
  }

  /** What came after is forgotten, as in any history. */
  function visit(pathname: string, hash: string): void {
    const path = findFilePath(pathname, (file) => sources.read(file) !== undefined);
    if (path === undefined) return;
    visits = [...visits.slice(0, at + 1), { path, hash }].slice(-keptVisits);
    goTo(visits.length - 1);
  }

  function goTo(index: number): void {
    at = index;
    scroll = [0, 0];
    if (current ?? next) run();
  }

  /** A fragment may be followed within the page; it is the same visit. */
  function tellAddress(address: string): void {
    const [hash = ''] = /#.*$/s.exec(address) ?? [];
    visits = visits.with(at, { ...page(), hash });
    const canGoForward = at < visits.length - 1;
    stage.setAddress({ address, canGoBack: at > 0, canGoForward });
  }

  function run(): void {
    stage.setState(current ? 'updating' : 'starting');
    openNext();
  }

  function deliver(): void {
    const showing = next ?? current;
    if (!showing || (showing.version === sources.version && !hot.hasInvalid)) return;
    const difference = sources.since(showing.version);
    if (showing === current && isStyleOnly(difference) && !hot.hasInvalid)
      return applyStyles(current, difference.changed);
    const isAlive = showing === current && showing.heartbeat.silentMs < patienceMs;
    if (isAlive && (turn.isTaken || update(showing, difference))) return;
    // A page on its way gets its time, so that typing does not keep starting it anew.
    const age = performance.now() - showing.openedAt;
    clearTimeout(retryTimer);
    if (showing.heartbeat.silentMs >= patienceMs) retryTimer = setTimeout(restartHung, quietMs);
    else if (showing === current || age >= patienceMs) run();
    else retryTimer = setTimeout(deliver, patienceMs - age);
  }

  function restartHung(): void {
    const showing = next ?? current;
    if (!showing || showing.heartbeat.silentMs < patienceMs) return deliver();
    stage.setState('starting');
    void restart();
  }

  /** Gives new modules to the page that shows; false where it has to be made anew. */
  function update(showing: Showing, difference: Difference): boolean {
    const plan = hot.plan(difference);
    if (!plan) return false;
    if (plan.updates.length === 0) {
      // Files that are new, and not yet imported: the page cannot have asked for them.
      if (plan.unreached.some((path) => showing.known.has(path))) return false;
      showing.version = sources.version;
      return true;
    }
    const files = inlineNew(plan, showing);
    if (!files) return false;
    showing.version = sources.version;
    turn.take(showing.version);
    stage.beginUpdate();
    showing.frame.send(hot.send(plan, { files, styles: stylesFor(plan.styles) }));
    return true;
  }

  /** The new modules of a plan, and what they import that the page did not begin with. */
  function inlineNew({ stamped }: UpdatePlan, { known }: Showing): InlinedFile[] | undefined {
    const importsOf = (id: string) => (id.includes('?') ? [] : (sources.facts(id)?.imports ?? []));
    const made = new Set(stamped.filter((id) => sources.read(pathOfId(id)) !== undefined));
    for (const id of made)
      for (const imported of importsOf(id))
        if (!known.has(imported) && !sources.stamps.has(imported)) made.add(imported);
    // A stylesheet that the page does not have has no blob that its link could lead to.
    if ([...made].some((id) => isStylePath(pathOfId(id)))) return undefined;
    const ordered = orderModules(made, importsOf);
    if (!ordered) return undefined;
    hot.stamp(ordered);
    return inlineModules(ordered, sources.forms(), new Set(sources.stamps.keys())).map(
      ({ path, text, mediaType }): InlinedFile => [path, text, mediaType],
    );
  }

  function applyStyles(showing: Showing, changed: readonly string[]): void {
    showing.version = sources.version;
    const styles = stylesFor(changed);
    const parts = findParts(
      styles.map(([path]) => path),
      sources,
    );
    showing.frame.send({ type: 'style', styles, parts, version: showing.version });
  }

  /** The texts of stylesheets, and of those that import them. */
  function stylesFor(changed: readonly string[]): [path: string, text: string][] {
    const read = (path: string) => sources.readRunning(path);
    const addressOf = (path: string) =>
      read(path) === undefined ? absentAddress(path) : fileAddress(path);
    const paths = [...new Set([...changed, ...findImporters(changed, sources)])];
    return paths.map((path) => [path, flattenCss(path, read, addressOf)]);
  }
}
