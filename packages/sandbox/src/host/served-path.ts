/**
 * The served path: a page at an address of its own. A saved project opens with the server's page,
 * and the service worker installs behind it; a draft opens with a small page that hands the files
 * to the service worker first. From the first edit on the service worker answers.
 *
 * What is shown, what the service worker holds and what the sources say each have a version;
 * `deliver` brings the first up to the last by the gentlest means that is faithful.
 */
import { isStylePath } from '@vitrine/compiler';
import { dropBegun, type BegunFrame } from '../begun-frame.ts';
import type { FromFrame, Hello, Outcome } from '../protocol.ts';
import {
  findImporters,
  findParts,
  isDocumentOnly,
  isQuiet,
  isStyleOnly,
  joinDifferences,
  styleTexts,
} from './differences.ts';
import { findFilePath } from '../file-addresses.ts';
import { bootAddress, enterAt, pageAddress, randomRun } from '../run-addresses.ts';
import { openFrame, type Frame } from './frame.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createHotUpdates } from './hot-updates.ts';
import type { UpdatePlan } from './plan-update.ts';
import { findEntry, type Difference } from './sources.ts';
import type { Path, Stage } from './stage.ts';
import { createStoredFiles } from './stored-files.ts';
import { createUpdateTurn } from './update-turn.ts';
import { createWatchdog } from './watchdog.ts';

/** A page that has not answered for this long when its code changes is thrown away for a new one. */
const patienceMs = 400;
/** A new document that has not said hello by then is not coming. */
const helloWithinMs = 10_000;
/** A page that says that it leaves, and is still there by then, has changed its mind. */
const leaveWithinMs = 3_000;

export function createServedPath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  let { begun } = options;
  const run = begun?.run ?? randomRun();
  /** Origins of saved projects have no service worker, so that none can ever answer for them. */
  const canBeEdited = options.key.includes('--');
  let entry = options.entry ?? findEntry(sources);
  const heartbeat = createHeartbeat({
    ask: () => frame?.send({ type: 'ping', count: 0 }),
    onStalled: () => stage.setState('stalled'),
    onBack: () => stage.setState('running'),
  });

  const watchdog = createWatchdog({ heartbeat, patienceMs, onHung: recover });

  let frame: Frame | undefined;
  /** Ends whatever waits for an answer by way of the document in the frame. */
  let documentGone = new AbortController();
  /** Version of the document in the frame; null for one that is not the project's, or not as sent. */
  let shown: number | null = null;
  /** Path of the document in the frame; null for our own pages. */
  let shownPath: string | null = null;
  /** Text of the document in the frame, where it is known. */
  let shownText: string | undefined;
  /** Version for which the importers of changed stylesheets have been tried too. */
  let widened = -1;
  let isRefused = false;
  const stored = createStoredFiles({
    run,
    sources,
    say: (message, ports) => frame?.send(message, ports),
    // A slow network may hold the service worker up, and with it the page.
    onAnswer: () => showing !== null && expectHello(),
  });
  /** Between the decision to load a page and its hello. */
  let loading = false;
  /** The version that the page being loaded is to show; null when none is. */
  let showing: number | null = null;
  /** The page's turn to take new modules. */
  const turn = createUpdateTurn(() => deliver());
  /** Version that the page was last told to show, and its modules are known of. */
  let settled: number | null = null;
  /** Stamps of the page that runs, while it is not sure whether it will be loaded anew. */
  let keptStamps: ReadonlyMap<string, number> | undefined;
  const hot = createHotUpdates(sources);
  let enteredAt = 0;
  let leaveTimer: ReturnType<typeof setTimeout> | undefined;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    open: () => void open(),
    deliver,
    visit,
    travel: (by) => frame?.send({ type: 'travel', by }),
    reload() {
      if (!frame || shownPath === null || watchdog.isHung()) return false;
      void reload(null);
      return true;
    },
    send: (message, ports) => frame?.send(message, ports),
    relayRules(rules) {
      if (canBeEdited) frame?.send({ type: 'relay', message: { type: 'rules', run, rules } });
    },
    close: async () => close(),
    forget() {
      // It leaves the frame before the frame goes; if not, newer runs push this one out.
      if (stored.isBegun) frame?.send({ type: 'relay', message: { type: 'forget', run } });
      void close();
    },
  };

  async function open(): Promise<void> {
    const gone = close();
    const { signal } = documentGone;
    loading = true;
    shown = null;
    await gone;
    if (signal.aborted) return;
    const isSaved = options.served !== null && sources.version === 0;
    if (takeOver(isSaved)) return;
    if (!isSaved) return openAt(bootAddress(origin, run));
    const page = pageAddress(origin, entry, stage.nameRun(run));
    if (!options.enter) return openAt(page);
    try {
      enteredAt = performance.now();
      const address = enterAt(await options.enter(signal), page);
      if (!signal.aborted) openAt(address);
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
    const path = findFilePath(pathname, (found) => sources.read(found) !== undefined);
    // Where it is shown from next time, should this frame have to go, or not be there yet.
    entry = path ?? entry;
    if (!loading) frame?.send({ type: 'go', run: stage.nameRun(run), address });
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
    expectHello();
  }

  function close(): Promise<void> | undefined {
    abandonQuestions();
    clearTimeout(helloTimer);
    watchdog.close();
    clearTimeout(leaveTimer);
    showing = null;
    hot.forget();
    heartbeat.close();
    const gone = frame?.close();
    frame = undefined;
    loading = false;
    return gone;
  }

  /** What was asked of a document that has gone is never answered. */
  function abandonQuestions(): void {
    documentGone.abort();
    documentGone = new AbortController();
    stored.interrupt();
    turn.abandon();
  }

  function expectHello(): void {
    clearTimeout(helloTimer);
    helloTimer = setTimeout(() => stage.fail('no-answer'), helloWithinMs);
  }

  function onHello(hello: Hello): void {
    abandonQuestions();
    clearTimeout(helloTimer);
    clearTimeout(leaveTimer);
    loading = false;
    showing = null;
    heartbeat.start();
    const before = shown;
    shown = findShownVersion(hello);
    if (shown !== null && hello.shown.kind === 'run') stored.find(shown);
    // It was there, and has been taken away or emptied.
    if (hello.shown.kind === 'absent' && !isMissing(hello.path)) stored.find(null);
    shownPath = hello.shown.kind === 'saved' || hello.shown.kind === 'run' ? hello.path : null;
    if (hello.shown.kind !== 'boot') stage.setPage(shownPath);
    if (hello.shown.kind === 'absent' && !recoverAbsent()) return;
    // A link that leads nowhere: that page stays until something is edited.
    if (hello.shown.kind === 'absent' && isMissing(hello.path)) shown = sources.version;
    if (before !== null || shown !== null) stage.beginDocument();
    shownText = shown === sources.version ? sources.readRunning(hello.path) : undefined;
    const isKnown = shown === sources.version || (shown !== null && shown === settled);
    keptStamps = undefined;
    if (shown === sources.version) sources.settle();
    if (isKnown && shownPath !== null) hot.begin(shownPath);
    else hot.forget();
    if (shown !== null && hello.shown.kind === 'saved' && canBeEdited)
      frame?.send({ type: 'install' });
    deliver();
  }

  /** A document of another run, or of a revision that is not ours, is not at any version of ours. */
  function findShownVersion({ shown: said }: Hello): number | null {
    if (said.kind === 'run') return said.run === run ? said.version : null;
    if (said.kind === 'saved') return said.revision === options.served?.revision ? 0 : null;
    return null;
  }

  /** Our page for "not there" can mean that we were not let in, or that nobody has the files. */
  function recoverAbsent(): boolean {
    if (options.enter && performance.now() - enteredAt > 5_000) {
      void open();
      return false;
    }
    if (sources.read(entry) === undefined) {
      stage.fail('absent');
      return false;
    }
    return true;
  }

  function isMissing(pathname: string): boolean {
    return findFilePath(pathname, (path) => sources.read(path) !== undefined) === undefined;
  }

  function onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        heartbeat.heard();
        break;
      case 'leaving':
        heartbeat.pause();
        clearTimeout(leaveTimer);
        leaveTimer = setTimeout(stayAfterAll, leaveWithinMs);
        break;
      case 'dialog':
        if (message.open) heartbeat.pause();
        else heartbeat.start();
        break;
      case 'painted':
        if (isCurrent()) stage.setState('running');
        break;
      case 'applied':
        onApplied(message.version, message.outcome);
        break;
      case 'invalid':
        if (hot.invalidate(message.id)) deliver();
        else void reload(null);
        break;
      case 'refused':
        isRefused = true;
        // The server's page needs no service worker until something is edited.
        if (shownPath === null || stored.isAwaited) stage.fallBack();
        break;
      case 'address':
        stage.setAddress(message);
        break;
      default:
        stage.hear(message);
    }
  }

  function isCurrent(): boolean {
    return shown === sources.version && !loading && !hot.hasInvalid;
  }

  function stayAfterAll(): void {
    heartbeat.start();
    deliver();
  }

  function deliver(): void {
    if (!frame || isCurrent()) return;
    watchdog.expectAnswer();
    if (loading || turn.isTaken) return;
    const difference = shown === null ? null : sources.since(shown);
    if (difference && isStyleOnly(difference) && !hot.hasInvalid) applyStyles(difference.changed);
    else if (difference && shownPath && isDocumentOnly(difference, shownPath) && canPatch())
      patchDocument(difference.changed.filter(isStylePath));
    else {
      const plan = difference && hot.plan(difference);
      if (plan && plan.updates.length > 0) void update(plan);
      else void reload(hot.hasInvalid ? null : difference);
    }
  }

  /** Gives new modules, and stylesheets that changed with them, to the page that runs. */
  async function update(plan: UpdatePlan): Promise<void> {
    const { signal } = documentGone;
    const [before, { version }] = [shown, sources];
    turn.take(version);
    await stage.prepare();
    if (signal.aborted) return;
    // What was edited or found out meanwhile goes along with it.
    if (sources.version !== version || shown !== before) {
      turn.end(version);
      return deliver();
    }
    hot.stamp(plan.stamped);
    shown = sources.version;
    turn.take(shown);
    stored.send();
    stage.beginUpdate();
    const paths = [...new Set([...plan.styles, ...findImporters(plan.styles, sources)])];
    frame?.send(hot.send(plan, { files: [], styles: styleTexts(paths, sources) }));
  }

  function applyStyles(paths: readonly string[]): void {
    shown = sources.version;
    sendStyles(paths, shown);
    void store();
  }

  function sendStyles(paths: readonly string[], version: number): void {
    const styles = styleTexts(paths, sources);
    frame?.send({ type: 'style', styles, parts: findParts(paths, sources), version });
  }

  /** A script, which may have read the page, rules it out from the start. */
  function canPatch(): boolean {
    const text = sources.readRunning(shownPath ?? '');
    return text !== undefined && shownText !== undefined && !/<script/i.test(shownText + text);
  }

  /** With the stylesheets that changed alongside, which come first: what is new is styled at once. */
  function patchDocument(styles: readonly string[]): void {
    const before = shownText ?? '';
    const text = sources.readRunning(shownPath ?? '') ?? '';
    shown = sources.version;
    shownText = text;
    if (styles.length > 0) sendStyles(styles, shown);
    frame?.send({ type: 'document', before, text, version: shown });
    void store();
  }

  function onApplied(version: number, outcome: Outcome): void {
    const isUpdate = turn.end(version);
    if (isUpdate && outcome !== 'reload') hot.end(outcome === 'done');
    if (outcome === 'reload') {
      shown = null;
      deliver();
    } else if (outcome === 'unused') onUnused(version);
    else if (isCurrent()) stage.setState('running');
    else if (isUpdate) deliver();
  }

  /** Not linked: perhaps imported by a stylesheet that is, perhaps read by a script. */
  function onUnused(version: number): void {
    if (version === showing) return stayWith(version);
    if (version !== shown) return;
    const paths = sources.since(version - 1).changed;
    const difference = { changed: paths, removed: [], remade: [] };
    if (widened === version) return void reload(difference);
    widened = version;
    const importers = findImporters(paths, sources);
    if (importers.length > 0) applyStyles(importers);
    else void reload(difference);
  }

  /** A reload turned out not to be needed, unless the page has asked for one itself meanwhile. */
  function stayWith(version: number): void {
    loading = false;
    showing = null;
    clearTimeout(helloTimer);
    if (shown === null) return deliver();
    shown = version;
    if (keptStamps) sources.setStamps(keptStamps);
    keptStamps = undefined;
    if (isCurrent()) stage.setState('running');
    deliver();
  }

  async function reload(difference: Difference | null): Promise<void> {
    if (isRefused) return stage.fallBack();
    loading = true;
    turn.abandon();
    keptStamps ??= sources.stamps;
    sources.setStamps(new Map());
    const isLoud = !difference || !isUnasked(difference);
    if (isLoud) stage.setState(stage.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = documentGone;
    await stage.prepare();
    if (signal.aborted) return;
    stored.send();
    showing = sources.version;
    // What was edited while it was prepared is shown with it, and may be more than what was asked for.
    const whole =
      difference && shown !== null ? joinDifferences(difference, sources.since(shown)) : difference;
    const unlessUnused = whole && isUnasked(whole) ? [...whole.changed, ...whole.removed] : null;
    sources.settle();
    settled = showing;
    const path = shownPath === null ? entry : null;
    const named = `${stage.nameRun(run)}@${showing}`;
    frame?.send({ type: 'show', run: named, path, version: showing, unlessUnused });
    if (!stored.isAwaited) expectHello();
  }

  /** Nothing in the page leads to these files, as far as its imports tell. */
  function isUnasked(difference: Difference): boolean {
    if (difference.changed.includes(shownPath ?? '')) return false;
    return isQuiet(difference) || hot.plan(difference)?.updates.length === 0;
  }

  /** Behind what the page is told already. */
  async function store(): Promise<void> {
    const { signal } = documentGone;
    await stage.prepare();
    if (!signal.aborted) stored.send();
  }

  /** Only taking a frame away ends code that does not return; nothing can be sent to it. P-21 */
  function recover(): void {
    const difference = shown === null ? null : sources.since(shown);
    // A stylesheet cannot be why it hangs.
    if (difference && isStyleOnly(difference)) return;
    stage.setState('starting');
    void open();
  }
}
