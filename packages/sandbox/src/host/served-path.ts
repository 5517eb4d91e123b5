/**
 * The served path: a page at an address of its own. A saved project opens with the server's page,
 * and the service worker installs behind it; a draft opens with a small page that hands the files
 * to the service worker first. From the first edit on the service worker answers.
 *
 * What is shown, what the service worker holds and what the sources say each have a version;
 * `deliver` brings the first up to the last by the gentlest means that is faithful.
 */
import { isStylePath } from '@vitrine/compiler';
import {
  parseStoreAnswer,
  runParameter,
  type FromFrame,
  type Hello,
  type Outcome,
  type StoreAnswer,
  type ToFrame,
} from '../protocol.ts';
import {
  findImporters,
  findParts,
  isDocumentOnly,
  isQuiet,
  isStyleOnly,
  styleText,
} from './differences.ts';
import { findFilePath } from '../file-addresses.ts';
import { openFrame, type Frame } from './frame.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createHotUpdates } from './hot-updates.ts';
import type { UpdatePlan } from './plan-update.ts';
import { findEntry, type Difference } from './sources.ts';
import type { Path, Stage } from './stage.ts';

/** A page that has not answered for this long when its code changes is thrown away for a new one. */
const patienceMs = 400;
/** A new document that has not said hello by then is not coming. */
const helloWithinMs = 10_000;
/** New modules may take this long before an edit goes on without them. */
const updateWithinMs = 1_000;
/** A page that says that it leaves, and is still there by then, has changed its mind. */
const leaveWithinMs = 3_000;

export function createServedPath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  const run = randomRun();
  /** Origins of saved projects have no service worker, so that none can ever answer for them. */
  const canBeEdited = options.key.includes('--');
  let entry = options.entry ?? findEntry(sources);
  const heartbeat = createHeartbeat({
    ask: () => frame?.send({ type: 'ping', count: 0 }),
    onStalled: () => stage.setState('stalled'),
    onBack: () => stage.setState('running'),
  });

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
  /** What the service worker holds; null when nothing, or unknown. */
  let stored: number | null = null;
  let storing: Promise<void> | undefined;
  /** Between the decision to load a page and its hello. */
  let loading = false;
  /** The version that the page being loaded is to show; null when none is. */
  let showing: number | null = null;
  /** Version of the new modules that are on their way to the page; null when none are. */
  let updating: number | null = null;
  let updateTimer: ReturnType<typeof setTimeout> | undefined;
  /** Version that the page was last told to show, and its modules are known of. */
  let settled: number | null = null;
  /** Stamps of the page that runs, while it is not sure whether it will be loaded anew. */
  let keptStamps: ReadonlyMap<string, number> | undefined;
  const hot = createHotUpdates(sources);
  let enteredAt = 0;
  let leaveTimer: ReturnType<typeof setTimeout> | undefined;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;
  let recoveryTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    open: () => void open(),
    deliver,
    visit,
    travel: (by) => frame?.send({ type: 'travel', by }),
    reload() {
      if (!frame || shownPath === null || heartbeat.silentMs >= patienceMs) return false;
      void reload(null);
      return true;
    },
    send: (message) => frame?.send(message),
    relayRules(rules) {
      if (canBeEdited) frame?.send({ type: 'relay', message: { type: 'rules', run, rules } });
    },
    close: async () => close(),
    forget() {
      // It leaves the frame before the frame goes; if not, newer runs push this one out.
      if (stored !== null) frame?.send({ type: 'relay', message: { type: 'forget', run } });
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
    const address = isSaved ? addressOf(entry) : `${origin}/__vitrine/boot?${runParameter}=${run}`;
    if (!options.enter || !isSaved) return openAt(address);
    const entered = await tryEnter(options.enter, signal);
    if (!signal.aborted && entered) openAt(entered);
  }

  function visit(address: string): void {
    const { pathname } = new URL(address, origin);
    const path = findFilePath(pathname, (found) => sources.read(found) !== undefined);
    // Where it is shown from next time, should this frame have to go, or not be there yet.
    entry = path ?? entry;
    if (!loading) frame?.send({ type: 'go', run: stage.nameRun(run), address });
  }

  async function tryEnter(
    enter: (signal: AbortSignal) => Promise<string>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    enteredAt = performance.now();
    try {
      const address = new URL(await enter(signal));
      address.searchParams.set(runParameter, stage.nameRun(run));
      address.searchParams.set('path', new URL(addressOf(entry)).pathname);
      return address.href;
    } catch {
      // The app could not get an entry, or its address is none; the state says so.
      if (!signal.aborted) stage.fail('not-allowed');
      return undefined;
    }
  }

  function openAt(address: string): void {
    frame = openFrame(options.element, {
      title: options.title,
      address,
      origin,
      onHello,
      onMessage,
      onStranger: () => stage.fail('left'),
    });
    expectHello();
  }

  function close(): Promise<void> | undefined {
    abandonQuestions();
    clearTimeout(helloTimer);
    clearTimeout(recoveryTimer);
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
    storing = undefined;
    endUpdate();
  }

  function endUpdate(): void {
    clearTimeout(updateTimer);
    updating = null;
  }

  function addressOf(path: string): string {
    const address = new URL(origin);
    address.pathname = path.replace(/(^|\/)index\.html$/, '$1');
    address.searchParams.set(runParameter, stage.nameRun(run));
    return address.href;
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
        if (shownPath === null || storing) stage.fallBack();
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
    armRecovery();
    if (loading || updating !== null) return;
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
    hot.stamp(plan.stamped);
    const { version } = sources;
    updating = version;
    await store();
    if (signal.aborted) return;
    // What was edited while it was stored goes along with it.
    if (sources.version !== version) {
      endUpdate();
      return deliver();
    }
    shown = version;
    stage.beginUpdate();
    const paths = [...new Set([...plan.styles, ...findImporters(plan.styles, sources)])];
    const styles = paths.map((path): [string, string] => [path, styleText(path, sources)]);
    frame?.send(hot.send(plan, { files: [], styles }));
    updateTimer = setTimeout(() => {
      endUpdate();
      deliver();
    }, updateWithinMs);
  }

  function applyStyles(paths: readonly string[]): void {
    shown = sources.version;
    sendStyles(paths, shown);
    void store();
  }

  function sendStyles(paths: readonly string[], version: number): void {
    const styles = paths.map((path): [string, string] => [path, styleText(path, sources)]);
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
    const isUpdate = version === updating;
    if (isUpdate) endUpdate();
    if (isUpdate && outcome !== 'reload') hot.end(outcome === 'done');
    if (outcome === 'reload' && !loading) {
      shown = null;
      deliver();
    } else if (outcome === 'unused') onUnused(version);
    else if (isCurrent()) stage.setState('running');
    else if (isUpdate) deliver();
  }

  /** Not linked: perhaps imported by a stylesheet that is, perhaps read by a script. */
  function onUnused(version: number): void {
    if (version === showing) {
      // A reload that turned out not to be needed.
      loading = false;
      clearTimeout(helloTimer);
      shown = showing;
      showing = null;
      if (keptStamps) sources.setStamps(keptStamps);
      keptStamps = undefined;
      if (isCurrent()) stage.setState('running');
      return deliver();
    }
    if (version !== shown) return;
    const paths = sources.since(version - 1).changed;
    const difference = { changed: paths, removed: [], remade: [] };
    if (widened === version) return void reload(difference);
    widened = version;
    const importers = findImporters(paths, sources);
    if (importers.length > 0) applyStyles(importers);
    else void reload(difference);
  }

  async function reload(difference: Difference | null): Promise<void> {
    if (isRefused) return stage.fallBack();
    loading = true;
    endUpdate();
    keptStamps ??= sources.stamps;
    sources.setStamps(new Map());
    const isLoud = !difference || !isUnasked(difference);
    if (isLoud) stage.setState(stage.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = documentGone;
    await store();
    if (signal.aborted) return;
    showing = sources.version;
    // What was edited while it was stored is shown with it, and may be more than what was asked for.
    const whole =
      difference && shown !== null ? join(difference, sources.since(shown)) : difference;
    const unlessUnused = whole && isUnasked(whole) ? [...whole.changed, ...whole.removed] : null;
    sources.settle();
    settled = showing;
    const path = shownPath === null ? entry : null;
    const named = stage.nameRun(run);
    frame?.send({ type: 'show', run: named, path, version: showing, unlessUnused });
    expectHello();
  }

  /** Nothing in the page leads to these files, as far as its imports tell. */
  function isUnasked(difference: Difference): boolean {
    if (difference.changed.includes(shownPath ?? '')) return false;
    return isQuiet(difference) || hot.plan(difference)?.updates.length === 0;
  }

  /** Sends what the service worker lacks; one message at a time, so that each has a known base. */
  function store(): Promise<void> {
    if (storing) return storing;
    const started = storeAll(documentGone.signal).finally(() => {
      if (storing === started) storing = undefined;
    });
    storing = started;
    return started;
  }

  async function storeAll(signal: AbortSignal): Promise<void> {
    await stage.prepare();
    while (stored !== sources.version && !signal.aborted) {
      const { version } = sources;
      const base = stored;
      const difference =
        base === null ? { changed: sources.paths, removed: [] } : sources.unsent(base);
      const answer = await ask(
        {
          type: 'relay',
          message: {
            type: 'store',
            run,
            base,
            version,
            files: sources.pack(difference.changed),
            removed: difference.removed,
          },
        },
        signal,
      );
      if (answer) stored = answer.type === 'stored' ? answer.version : null;
    }
  }

  function ask(message: ToFrame, signal: AbortSignal): Promise<StoreAnswer | undefined> {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      const end = (answer: StoreAnswer | undefined) => {
        port1.close();
        resolve(answer);
      };
      signal.addEventListener('abort', () => end(undefined), { once: true });
      port1.onmessage = ({ data }: MessageEvent<unknown>) => end(parseStoreAnswer(data));
      frame?.send(message, [port2]);
    });
  }

  /** Only taking a frame away ends code that does not return; nothing can be sent to it. P-21 */
  function armRecovery(): void {
    clearTimeout(recoveryTimer);
    const isHung = () => heartbeat.silentMs >= patienceMs;
    const recover = () => {
      const difference = shown === null ? null : sources.since(shown);
      // A stylesheet cannot be why it hangs.
      if (!isHung() || (difference && isStyleOnly(difference))) return;
      stage.setState('starting');
      void open();
    };
    if (isHung()) recover();
    else recoveryTimer = setTimeout(recover, patienceMs + 50);
  }
}

function join(a: Difference, b: Difference): Difference {
  return {
    changed: [...new Set([...a.changed, ...b.changed])],
    removed: [...new Set([...a.removed, ...b.removed])],
    remade: [...new Set([...a.remade, ...b.remade])],
  };
}

function randomRun(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
