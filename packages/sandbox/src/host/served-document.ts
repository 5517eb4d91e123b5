/**
 * Document of the isolated-origin transport. The document, the files in the service worker and the module
 * store each have a version; `deliver` brings the document up to the module store's version with the
 * smallest step that is correct: replacing stylesheets, patching the HTML, an HMR update, or a reload.
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

/** A new document that has not said hello after this long is considered lost. */
export const helloWithinMs = 10_000;
/** Limit for the hello while a slow network may delay the service worker, and with it the page. */
const storeTimeoutMs = 30_000;

export interface ServedDocument {
  /** The document is a page of the project, not a boot or 404 page. */
  readonly isOfProject: boolean;
  readonly isLoading: boolean;
  /** The document that is loading is older than the module store. */
  readonly isOutdated: boolean;
  /** The document may still be running something older than the module store. */
  readonly isBehind: boolean;
  /** The document shows the module store's version, and none of its modules is invalidated. */
  readonly isCurrent: boolean;
  /** The service worker may hold files of this run. */
  readonly isStored: boolean;
  /** The document can't be shown before the service worker responds. */
  readonly isHeldUp: boolean;
  /** The first document is loading. */
  expect(): void;
  /** A document said hello. `isThere`: its URL leads to a file of the project. */
  arrive(hello: Hello, isThere: boolean): void;
  /** Brings the document up to the module store's version. */
  deliver(): void;
  /** The document's scripts have run and its first frame is painted. */
  painted(): void;
  /** The document has applied this version. */
  applied(version: number, outcome: Outcome): void;
  /** A module of the document called `import.meta.hot.invalidate()`. */
  invalidate(id: string): void;
  /** Reloads the document at the user's request. */
  reload(): void;
  /** Aborts everything that waits for a response of the document. */
  abandon(): void;
  /** The frame has been removed. */
  close(): void;
  /** Whether the changes since the document was loaded are known and affect stylesheets alone. */
  differsInStyle(): boolean;
}

export interface ServedDocumentOptions {
  stage: Stage;
  run: string;
  /** Page to open while the frame shows none of the project's pages. */
  entry(): string;
  /** Posts a message to the document; dropped while there is none. */
  send(message: ToFrame, ports?: MessagePort[]): void;
  /** Starts the timeout for the next hello; null cancels it. */
  expectHello(withinMs: number | null): void;
  /** Announces a message that needs a response; false if there is no document. */
  expectAnswer(): boolean;
  /** The browser refuses the service worker, without which edits can't be shown. */
  isRefused(): boolean;
  /** Called for the 404 page. False if something else is shown in its place. */
  staysAbsent(): boolean;
  /** Path of the file that a URL leads to. */
  findPath(address: string): string | undefined;
  /** Whether the origin can have a service worker. */
  canBeEdited: boolean;
}

export function createServedDocument(o: ServedDocumentOptions): ServedDocument {
  const { stage, run, send } = o;
  const { options, sources } = stage;
  /** Aborted when the document goes or its responses no longer matter. */
  let pending = new AbortController();
  /** Version that the document shows; null if it isn't a page of the project in a known version. */
  let shown: number | null = null;
  /** Path of the document; null for boot and 404 pages. */
  let shownPath: string | null = null;
  /** URL path that the 404 page was shown for. */
  let notFoundPath: string | null = null;
  /** HTML that the document was loaded from or patched to; undefined if unknown. */
  let shownHtml: string | undefined;
  /** Version that the document was loaded with. */
  let opened: number | null = null;
  /** Versions that the document was loaded with or sent modules of, and has not finished. */
  const unfinished = new Set<number>();
  /** Version for which the importers of changed stylesheets were already tried. */
  let triedImporters = -1;
  /** Set between the decision to load a page and its hello. */
  let loading = false;
  /** Version of the page that is loading; null if none is. */
  let loadingVersion: number | null = null;
  /** Module store version when the last page load was requested. */
  let requestedVersion = sources.version;
  /** Version the page was last told to show, whose module graph is known. */
  let knownVersion: number | null = null;
  /** Version queries of the running page, kept until it is certain that the page reloads. */
  let savedVersionQueries: ReadonlyMap<string, number> | undefined;
  const hot = createHotUpdates(sources);
  /** Held while the page applies an HMR update. */
  const turn = createUpdateTurn(() => deliver());
  const pace = createReloadPace(() => deliver());
  const stored = createStoredFiles({
    run,
    sources,
    say: send,
    onAnswer: () => loadingVersion !== null && o.expectHello(helloWithinMs),
  });

  return {
    get isOfProject() {
      return shownPath !== null;
    },
    get isLoading() {
      return loading;
    },
    get isOutdated() {
      return loading && requestedVersion !== sources.version;
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
      requestedVersion = sources.version;
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
      loadingVersion = null;
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
    pending.abort();
    pending = new AbortController();
    stored.interrupt();
    turn.abandon();
    pace.abandon();
  }

  function arrive({ shown: source, path }: Hello, isThere: boolean): void {
    loading = false;
    loadingVersion = null;
    const before = shown;
    shown = opened = findVersion(source);
    unfinished.clear();
    if (opened !== null) unfinished.add(opened);
    if (shown !== null && source.kind === 'run') stored.find(shown);
    // This document was not served by the service worker, so the worker doesn't hold the files (any more).
    if ((source.kind === 'absent' && isThere) || source.kind === 'saved') stored.find(null);
    shownPath = source.kind === 'saved' || source.kind === 'run' ? path : null;
    notFoundPath = source.kind === 'absent' ? path : null;
    if (source.kind !== 'boot') stage.setPage(shownPath);
    if (source.kind === 'absent' && !o.staysAbsent()) return;
    // The 404 page of a broken link stays until something is edited.
    if (source.kind === 'absent' && !isThere) shown = sources.version;
    if (before !== null || shown !== null) stage.beginDocument();
    shownHtml = shown === sources.version ? sources.readRunning(path) : undefined;
    const isKnown = shown === sources.version || (shown !== null && shown === knownVersion);
    savedVersionQueries = undefined;
    if (shown === sources.version) sources.settle();
    if (isKnown && shownPath !== null) hot.begin(shownPath);
    else hot.forget();
    if (shown !== null && source.kind === 'saved' && o.canBeEdited) send({ type: 'install' });
    deliver();
  }

  /** Version of a document; null for one of another run or another saved revision. */
  function findVersion(source: Hello['shown']): number | null {
    if (source.kind === 'run') return source.run === run ? source.version : null;
    if (source.kind === 'saved') return source.revision === options.served?.revision ? 0 : null;
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
    else if (difference && shownPath && isDocumentOnly(difference, shownPath) && isPatchable())
      patchDocument(difference.changed.filter(isStylePath));
    else {
      // Offline, the page shown is better than one whose scripts can't load.
      const isRenewable = !stage.lacksScript || !navigator.onLine;
      const plan = difference && isRenewable ? hot.plan(difference) : undefined;
      if (plan && plan.updates.length > 0) void update(plan);
      else if (hot.hasInvalid || !difference) void reload(null);
      else if (pace.mayLoad(sizeOf(difference))) void reload(difference);
    }
  }

  /** Sends new modules, and the stylesheets that changed with them, to the running page. */
  async function update(plan: UpdatePlan): Promise<void> {
    const { signal } = pending;
    const [before, { version }] = [shown, sources];
    turn.take(version);
    if (!stage.isPrepared) await stage.prepare();
    if (signal.aborted) return;
    // Changes made in the meantime go into the same update.
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

  /** Whether the page can be patched. A page with scripts can't: they may have read the document. */
  function isPatchable(): boolean {
    const text = sources.readRunning(shownPath ?? '');
    return text !== undefined && shownHtml !== undefined && !hasScripts(shownHtml + text);
  }

  /** Patches the HTML. Changed stylesheets go first, so that new elements are styled at once. */
  function patchDocument(styles: readonly string[]): void {
    const before = shownHtml ?? '';
    const text = sources.readRunning(shownPath ?? '') ?? '';
    shown = sources.version;
    shownHtml = text;
    if (styles.length > 0) sendStyles(styles, shown);
    send({ type: 'document', before, text, version: shown });
    void store();
  }

  /** Sends the files to the service worker, after the page has its update. */
  async function store(): Promise<void> {
    const { signal } = pending;
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

  /** Handles a stylesheet that the page doesn't link: another stylesheet or a script may import it. */
  function onUnused(version: number): void {
    if (version === loadingVersion) return keepPage(version);
    if (version !== shown) return;
    const paths = sources.since(version - 1).changed;
    const difference: Difference = { changed: paths, removed: [], remade: [] };
    if (triedImporters === version) return void reload(difference);
    triedImporters = version;
    const importers = findImporters(paths, sources);
    if (importers.length > 0) applyStyles(importers);
    else void reload(difference);
  }

  /** Keeps the page after all, unless it has requested a reload itself in the meantime. */
  function keepPage(version: number): void {
    loading = false;
    loadingVersion = null;
    o.expectHello(null);
    if (shown === null) return deliver();
    shown = version;
    if (savedVersionQueries) sources.setStamps(savedVersionQueries);
    savedVersionQueries = undefined;
    if (isCurrent()) stage.setState('running');
    deliver();
  }

  async function reload(difference: Difference | null): Promise<void> {
    if (o.isRefused()) return stage.fallBack();
    loading = true;
    turn.abandon();
    savedVersionQueries ??= sources.stamps;
    sources.setStamps(new Map());
    const isVisible = !difference || !isUnreferenced(difference);
    if (isVisible) stage.setState(stage.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = pending;
    if (!stage.isPrepared) await stage.prepare();
    if (signal.aborted) return;
    stored.send();
    loadingVersion = requestedVersion = sources.version;
    // Includes edits made during `prepare`, which may affect more than the change that was requested.
    const allChanges =
      difference && shown !== null ? joinDifferences(difference, sources.since(shown)) : difference;
    const unlessUnused =
      allChanges && isUnreferenced(allChanges)
        ? [...allChanges.changed, ...allChanges.removed]
        : null;
    sources.settle();
    knownVersion = loadingVersion;
    const found = notFoundPath === null ? undefined : o.findPath(notFoundPath);
    const path = shownPath === null ? (found ?? o.entry()) : null;
    const runParameter = `${stage.nameRun(run)}@${loadingVersion}`;
    send({ type: 'show', run: runParameter, path, version: loadingVersion, unlessUnused });
    o.expectHello(stored.isAwaited ? storeTimeoutMs : helloWithinMs);
  }

  /** Whether nothing in the page refers to the changed files, as far as its imports tell. */
  function isUnreferenced(difference: Difference): boolean {
    if (difference.changed.includes(shownPath ?? '')) return false;
    return isQuiet(difference) || hot.plan(difference)?.updates.length === 0;
  }
}
