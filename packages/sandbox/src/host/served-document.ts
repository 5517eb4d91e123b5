/**
 * The document in the frame of the served path. What it shows, what the service worker holds and what
 * the sources say each have a version; `deliver` brings the first up to the last by the gentlest means
 * that is faithful.
 */
import { hasScripts, isStylePath } from '@vitrine/compiler';
import type { Hello, Outcome, ToFrame } from '../protocol.ts';
import {
  findImporters,
  findParts,
  isDocumentOnly,
  isQuiet,
  isStyleOnly,
  joinDifferences,
  styleTexts,
} from './differences.ts';
import { createHotUpdates } from './hot-updates.ts';
import type { UpdatePlan } from './plan-update.ts';
import { createReloadPace } from './reload-pace.ts';
import type { Difference } from './sources.ts';
import type { Stage } from './stage.ts';
import { createStoredFiles } from './stored-files.ts';
import { createUpdateTurn } from './update-turn.ts';

/** A new document that has not said hello by then is not coming. */
export const helloWithinMs = 10_000;
/** Likewise while a slow network may hold the service worker up, and with it the page. */
const storedWithinMs = 30_000;

export interface ServedDocument {
  /** It is one of the project; else it is one of our own pages, or there is none. */
  readonly isOfProject: boolean;
  readonly isLoading: boolean;
  /** The one on its way is older than the sources. */
  readonly isOutdated: boolean;
  /** It may still be at work on something older than what the sources say. */
  readonly isBehind: boolean;
  /** It shows what the sources say, and its modules have said nothing against it. */
  readonly isCurrent: boolean;
  /** The service worker may hold files of this run. */
  readonly isStored: boolean;
  /** What is to be shown waits for the service worker. */
  readonly isHeldUp: boolean;
  /** The first one is on its way. */
  expect(): void;
  /** It has come, and said what it is; what its address leads to `isThere`, or is not. */
  arrive(hello: Hello, isThere: boolean): void;
  /** Brings what is shown up to the sources' version. */
  deliver(): void;
  /** Its scripts have run, and its first frame is on its way to the screen. */
  painted(): void;
  /** It has done what it was told to do with this version. */
  applied(version: number, outcome: Outcome): void;
  /** A module of it says that its new version is not enough. */
  invalidate(id: string): void;
  /** Loads it anew, as a person asks for. */
  reload(): void;
  /** Its last words have been said: what was asked of it is never answered. */
  abandon(): void;
  /** Its frame has gone. */
  close(): void;
  /** What changed since it was loaded is known, and can be nothing but style. */
  differsInStyle(): boolean;
}

export interface ServedDocumentOptions {
  stage: Stage;
  run: string;
  /** Where a document is shown from that is none of the project's yet. */
  entry(): string;
  /** Nobody hears it while there is no document. */
  send(message: ToFrame, ports?: MessagePort[]): void;
  /** A new one is asked for, and is to say hello within that time; or not, after all. */
  expectHello(withinMs: number | null): void;
  /** It is about to be told something that it has to answer; false where nobody is there. */
  expectAnswer(): boolean;
  /** This browser refuses the service worker, without which nothing is shown anew. */
  isRefused(): boolean;
  /** It is our page for what is not there: false where that is not the last word. */
  staysAbsent(): boolean;
  /** The file that an address leads to. */
  findPath(address: string): string | undefined;
  /** A service worker can answer for its origin. */
  canBeEdited: boolean;
}

export function createServedDocument(o: ServedDocumentOptions): ServedDocument {
  const { stage, run, send } = o;
  const { options, sources } = stage;
  /** Ends whatever waits for an answer by way of the document. */
  let gone = new AbortController();
  /** Null for one that is not the project's, or not as sent. */
  let shown: number | null = null;
  /** Null for our own pages. */
  let shownPath: string | null = null;
  /** The address of which our page says that nothing is there. */
  let sought: string | null = null;
  /** Where it is known. */
  let shownText: string | undefined;
  /** The version that it began with. */
  let opened: number | null = null;
  /** Versions that it has begun with, or was given new modules of, and has not said to be done with. */
  const unfinished = new Set<number>();
  /** Version for which the importers of changed stylesheets have been tried too. */
  let widened = -1;
  /** Between the decision to load a page and its hello. */
  let loading = false;
  /** The version that the page being loaded is to show; null when none is. */
  let showing: number | null = null;
  /** What the sources said when the page that was last on its way was asked for. */
  let coming = sources.version;
  /** Version that the page was last told to show, and its modules are known of. */
  let settled: number | null = null;
  /** Stamps of the page that runs, while it is not sure whether it will be loaded anew. */
  let keptStamps: ReadonlyMap<string, number> | undefined;
  const hot = createHotUpdates(sources);
  /** The page's turn to take new modules. */
  const turn = createUpdateTurn(() => deliver());
  const pace = createReloadPace(() => deliver());
  const stored = createStoredFiles({
    run,
    sources,
    say: send,
    onAnswer: () => showing !== null && o.expectHello(helloWithinMs),
  });

  return {
    get isOfProject() {
      return shownPath !== null;
    },
    get isLoading() {
      return loading;
    },
    get isOutdated() {
      return loading && coming !== sources.version;
    },
    get isBehind() {
      return Math.min(...unfinished) < sources.version;
    },
    get isCurrent() {
      return isCurrent();
    },
    get isStored() {
      return stored.isBegun;
    },
    get isHeldUp() {
      return shownPath === null || stored.isAwaited;
    },
    expect() {
      loading = true;
      shown = null;
      coming = sources.version;
    },
    arrive,
    deliver,
    painted() {
      if (opened !== null) unfinished.delete(opened);
    },
    applied,
    invalidate(id) {
      if (hot.invalidate(id)) deliver();
      else void reload(null);
    },
    reload: () => void reload(null),
    abandon,
    close() {
      abandon();
      showing = null;
      loading = false;
      unfinished.clear();
      hot.forget();
    },
    differsInStyle() {
      if (shown === null || shown === sources.version) return false;
      return isStyleOnly(sources.since(shown));
    },
  };

  function abandon(): void {
    gone.abort();
    gone = new AbortController();
    stored.interrupt();
    turn.abandon();
    pace.abandon();
  }

  function arrive({ shown: said, path }: Hello, isThere: boolean): void {
    loading = false;
    showing = null;
    const before = shown;
    shown = opened = findVersion(said);
    unfinished.clear();
    if (opened !== null) unfinished.add(opened);
    if (shown !== null && said.kind === 'run') stored.find(shown);
    // It has not answered: what it was sent it has not got, or not any more.
    if ((said.kind === 'absent' && isThere) || said.kind === 'saved') stored.find(null);
    shownPath = said.kind === 'saved' || said.kind === 'run' ? path : null;
    sought = said.kind === 'absent' ? path : null;
    if (said.kind !== 'boot') stage.setPage(shownPath);
    if (said.kind === 'absent' && !o.staysAbsent()) return;
    // A link that leads nowhere: that page stays until something is edited.
    if (said.kind === 'absent' && !isThere) shown = sources.version;
    if (before !== null || shown !== null) stage.beginDocument();
    shownText = shown === sources.version ? sources.readRunning(path) : undefined;
    const isKnown = shown === sources.version || (shown !== null && shown === settled);
    keptStamps = undefined;
    if (shown === sources.version) sources.settle();
    if (isKnown && shownPath !== null) hot.begin(shownPath);
    else hot.forget();
    if (shown !== null && said.kind === 'saved' && o.canBeEdited) send({ type: 'install' });
    deliver();
  }

  /** A document of another run, or of a revision that is not ours, is not at any version of ours. */
  function findVersion(said: Hello['shown']): number | null {
    if (said.kind === 'run') return said.run === run ? said.version : null;
    if (said.kind === 'saved') return said.revision === options.served?.revision ? 0 : null;
    return null;
  }

  function isCurrent(): boolean {
    return shown === sources.version && !loading && !hot.hasInvalid;
  }

  function deliver(): void {
    if (isCurrent() || !o.expectAnswer()) return;
    if (loading || turn.isTaken) return;
    const difference = shown === null ? null : sources.since(shown);
    if (difference && isStyleOnly(difference) && !hot.hasInvalid) applyStyles(difference.changed);
    else if (difference && shownPath && isDocumentOnly(difference, shownPath) && canPatch())
      patchDocument(difference.changed.filter(isStylePath));
    else {
      // Without a network, the page that stands there is better than one that cannot start.
      const isRenewable = !stage.lacksScript || !navigator.onLine;
      const plan = difference && isRenewable ? hot.plan(difference) : undefined;
      if (plan && plan.updates.length > 0) void update(plan);
      else if (hot.hasInvalid || !difference) void reload(null);
      else if (pace.mayLoad(sizeOf(difference))) void reload(difference);
    }
  }

  /** Gives new modules, and stylesheets that changed with them, to the page that runs. */
  async function update(plan: UpdatePlan): Promise<void> {
    const { signal } = gone;
    const [before, { version }] = [shown, sources];
    turn.take(version);
    if (!stage.isPrepared) await stage.prepare();
    if (signal.aborted) return;
    // What was edited or found out meanwhile goes along with it.
    if (sources.version !== version || shown !== before) {
      turn.end(version);
      return deliver();
    }
    hot.stamp(plan.stamped);
    shown = sources.version;
    turn.take(shown);
    unfinished.add(shown);
    stored.send();
    stage.beginUpdate();
    const paths = [...new Set([...plan.styles, ...findImporters(plan.styles, sources)])];
    send(hot.send(plan, { files: [], styles: styleTexts(paths, sources) }));
  }

  function sizeOf({ changed }: Difference): number {
    return changed.reduce((sum, path) => sum + (sources.read(path)?.length ?? 0), 0);
  }

  function applyStyles(paths: readonly string[]): void {
    shown = sources.version;
    sendStyles(paths, shown);
    void store();
  }

  function sendStyles(paths: readonly string[], version: number): void {
    const styles = styleTexts(paths, sources);
    send({ type: 'style', styles, parts: findParts(paths, sources), version });
  }

  /** A script, which may have read the page, rules it out from the start. */
  function canPatch(): boolean {
    const text = sources.readRunning(shownPath ?? '');
    return text !== undefined && shownText !== undefined && !hasScripts(shownText + text);
  }

  /** With the stylesheets that changed alongside, which come first: what is new is styled at once. */
  function patchDocument(styles: readonly string[]): void {
    const before = shownText ?? '';
    const text = sources.readRunning(shownPath ?? '') ?? '';
    shown = sources.version;
    shownText = text;
    if (styles.length > 0) sendStyles(styles, shown);
    send({ type: 'document', before, text, version: shown });
    void store();
  }

  /** Behind what the page is told already. */
  async function store(): Promise<void> {
    const { signal } = gone;
    if (!stage.isPrepared) await stage.prepare();
    if (!signal.aborted) stored.send();
  }

  function applied(version: number, outcome: Outcome): void {
    const isUpdate = turn.end(version);
    if (version !== opened) unfinished.delete(version);
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
    o.expectHello(null);
    if (shown === null) return deliver();
    shown = version;
    if (keptStamps) sources.setStamps(keptStamps);
    keptStamps = undefined;
    if (isCurrent()) stage.setState('running');
    deliver();
  }

  async function reload(difference: Difference | null): Promise<void> {
    if (o.isRefused()) return stage.fallBack();
    loading = true;
    turn.abandon();
    keptStamps ??= sources.stamps;
    sources.setStamps(new Map());
    const isLoud = !difference || !isUnasked(difference);
    if (isLoud) stage.setState(stage.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = gone;
    if (!stage.isPrepared) await stage.prepare();
    if (signal.aborted) return;
    stored.send();
    showing = coming = sources.version;
    // What was edited while it was prepared is shown with it, and may be more than what was asked for.
    const whole =
      difference && shown !== null ? joinDifferences(difference, sources.since(shown)) : difference;
    const unlessUnused = whole && isUnasked(whole) ? [...whole.changed, ...whole.removed] : null;
    sources.settle();
    settled = showing;
    const found = sought === null ? undefined : o.findPath(sought);
    const path = shownPath === null ? (found ?? o.entry()) : null;
    const named = `${stage.nameRun(run)}@${showing}`;
    send({ type: 'show', run: named, path, version: showing, unlessUnused });
    o.expectHello(stored.isAwaited ? storedWithinMs : helloWithinMs);
  }

  /** Nothing in the page leads to these files, as far as its imports tell. */
  function isUnasked(difference: Difference): boolean {
    if (difference.changed.includes(shownPath ?? '')) return false;
    return isQuiet(difference) || hot.plan(difference)?.updates.length === 0;
  }
}
