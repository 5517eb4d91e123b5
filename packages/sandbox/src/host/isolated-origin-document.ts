/**
 * Document of the isolated-origin transport. The document, the files in the service worker and the module
 * store each have a version; `deliver` brings the document up to the module store's version with the
 * smallest step that is correct: replacing stylesheets, patching the HTML, an HMR update, or a reload.
 */
import { hasScripts, isStylePath } from '@vitrine/compiler';
import type { Hello, UpdateOutcome, ToFrame } from '../protocol.ts';
import {
  findImportingStyles,
  findImportedStyles,
  isDocumentOnly,
  isDataOnly,
  isStyleOnly,
  mergeDifferences,
  readStyleTexts,
} from './file-differences.ts';
import { createHotUpdates } from './hot-updates.ts';
import type { UpdatePlan } from './plan-update.ts';
import { createReloadThrottle } from './reload-throttle.ts';
import type { FileDifference } from './module-store.ts';
import type { PreviewContext } from './preview-context.ts';
import { createServiceWorkerFiles } from './service-worker-files.ts';
import { createUpdateLock } from './update-lock.ts';

/** A new document that has not said hello after this long is considered lost. */
export const helloTimeoutMs = 10_000;
/** Limit for the hello while a slow network may delay the service worker, and with it the page. */
const storeTimeoutMs = 30_000;

export interface IsolatedOriginDocument {
  /** The document is a page of the project, not a boot or 404 page. */
  readonly isProjectPage: boolean;
  readonly isLoading: boolean;
  /** The document that is loading is older than the module store. */
  readonly isOutdated: boolean;
  /** The document may still be running something older than the module store. */
  readonly isBehind: boolean;
  /** The document shows the module store's version, and none of its modules is invalidated. */
  readonly isCurrent: boolean;
  /** The service worker may hold files of this run. */
  readonly hasStoredFiles: boolean;
  /** The document can't be shown before the service worker responds. */
  readonly awaitsServiceWorker: boolean;
  /** The first document is loading. */
  beginLoading(): void;
  /** A document said hello. `isThere`: its URL leads to a file of the project. */
  onHello(hello: Hello, isThere: boolean): void;
  /** Brings the document up to the module store's version. */
  update(): void;
  /** The document's scripts have run and its first frame is painted. */
  onPainted(): void;
  /** The document has applied this version. */
  onApplied(version: number, outcome: UpdateOutcome): void;
  /** A module of the document called `import.meta.hot.invalidate()`. */
  invalidate(id: string): void;
  /** Reloads the document at the user's request. */
  reload(): void;
  /** Aborts everything that waits for a response of the document. */
  abortPending(): void;
  /** The frame has been removed. */
  close(): void;
  /** Whether the changes since the document was loaded are known and affect stylesheets alone. */
  isStyleOnlyChange(): boolean;
}

export interface IsolatedOriginDocumentOptions {
  context: PreviewContext;
  run: string;
  /** Page to open while the frame shows none of the project's pages. */
  entry(): string;
  /** Posts a message to the document; dropped while there is none. */
  send(message: ToFrame, ports?: MessagePort[]): void;
  /** Starts the timeout for the next hello; null cancels it. */
  expectHello(withinMs: number | null): void;
  /** Announces a message that needs a response; false if there is no document. */
  expectResponse(): boolean;
  /** The browser refuses the service worker, without which edits can't be shown. */
  isServiceWorkerRefused(): boolean;
  /** Called for the 404 page. False if something else is shown in its place. */
  confirmNotFound(): boolean;
  /** Path of the file that a URL leads to. */
  findPath(address: string): string | undefined;
  /** Whether the origin can have a service worker. */
  isEditable: boolean;
}

export function createIsolatedOriginDocument(
  o: IsolatedOriginDocumentOptions,
): IsolatedOriginDocument {
  const { context, run, send } = o;
  const { options, moduleStore } = context;
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
  let requestedVersion = moduleStore.version;
  /** Version the page was last told to show, whose module graph is known. */
  let knownVersion: number | null = null;
  /** Version queries of the running page, kept until it is certain that the page reloads. */
  let savedVersionQueries: ReadonlyMap<string, number> | undefined;
  const hot = createHotUpdates(moduleStore);
  /** Held while the page applies an HMR update. */
  const turn = createUpdateLock(() => deliver());
  const pace = createReloadThrottle(() => deliver());
  const stored = createServiceWorkerFiles({
    run,
    moduleStore,
    send,
    onAnswer: () => loadingVersion !== null && o.expectHello(helloTimeoutMs),
  });

  return {
    get isProjectPage() {
      return shownPath !== null;
    },
    get isLoading() {
      return loading;
    },
    get isOutdated() {
      return loading && requestedVersion !== moduleStore.version;
    },
    get isBehind() {
      return Math.min(...unfinished) < moduleStore.version;
    },
    get isCurrent() {
      return isCurrent();
    },
    get hasStoredFiles() {
      return stored.isStored;
    },
    get awaitsServiceWorker() {
      return shownPath === null || stored.isPending;
    },
    beginLoading() {
      loading = true;
      shown = null;
      requestedVersion = moduleStore.version;
    },
    onHello: arrive,
    update: deliver,
    onPainted() {
      if (opened !== null) unfinished.delete(opened);
    },
    onApplied: applied,
    invalidate(id) {
      if (hot.invalidate(id)) deliver();
      else void reload(null);
    },
    reload: () => void reload(null),
    abortPending: abandon,
    close() {
      abandon();
      loadingVersion = null;
      loading = false;
      unfinished.clear();
      hot.reset();
    },
    isStyleOnlyChange() {
      if (shown === null || shown === moduleStore.version) return false;
      return isStyleOnly(moduleStore.since(shown));
    },
  };

  function abandon(): void {
    pending.abort();
    pending = new AbortController();
    stored.interrupt();
    turn.reset();
    pace.cancel();
  }

  function arrive({ shown: source, path }: Hello, isThere: boolean): void {
    loading = false;
    loadingVersion = null;
    const before = shown;
    shown = opened = findVersion(source);
    unfinished.clear();
    if (opened !== null) unfinished.add(opened);
    if (shown !== null && source.kind === 'run') stored.setVersion(shown);
    // This document was not served by the service worker, so the worker doesn't hold the files (any more).
    if ((source.kind === 'absent' && isThere) || source.kind === 'saved') stored.setVersion(null);
    shownPath = source.kind === 'saved' || source.kind === 'run' ? path : null;
    notFoundPath = source.kind === 'absent' ? path : null;
    if (source.kind !== 'boot') context.setPage(shownPath);
    if (source.kind === 'absent' && !o.confirmNotFound()) return;
    // The 404 page of a broken link stays until something is edited.
    if (source.kind === 'absent' && !isThere) shown = moduleStore.version;
    if (before !== null || shown !== null) context.beginDocument();
    shownHtml = shown === moduleStore.version ? moduleStore.readOutput(path) : undefined;
    const isKnown = shown === moduleStore.version || (shown !== null && shown === knownVersion);
    savedVersionQueries = undefined;
    if (shown === moduleStore.version) moduleStore.markRunning();
    if (isKnown && shownPath !== null) hot.setPage(shownPath);
    else hot.reset();
    if (shown !== null && source.kind === 'saved' && o.isEditable) send({ type: 'install' });
    deliver();
  }

  /** Version of a document; null for one of another run or another saved revision. */
  function findVersion(source: Hello['shown']): number | null {
    if (source.kind === 'run') return source.run === run ? source.version : null;
    if (source.kind === 'saved') return source.revision === options.served?.revision ? 0 : null;
    return null;
  }

  function isCurrent(): boolean {
    return shown === moduleStore.version && !loading && !hot.hasInvalidated;
  }

  function deliver(): void {
    if (isCurrent() || !o.expectResponse()) return;
    if (loading || turn.isHeld) return;
    const difference = shown === null ? null : moduleStore.since(shown);
    if (difference && isStyleOnly(difference) && !hot.hasInvalidated)
      applyStyles(difference.changed);
    else if (difference && shownPath && isDocumentOnly(difference, shownPath) && isPatchable())
      patchDocument(difference.changed.filter(isStylePath));
    else {
      // Offline, the page shown is better than one whose scripts can't load.
      const isRenewable = !context.hasScriptFailure || !navigator.onLine;
      const plan = difference && isRenewable ? hot.plan(difference) : undefined;
      if (plan && plan.updates.length > 0) void update(plan);
      else if (hot.hasInvalidated || !difference) void reload(null);
      else if (pace.tryReload(sizeOf(difference))) void reload(difference);
    }
  }

  /** Sends new modules, and the stylesheets that changed with them, to the running page. */
  async function update(plan: UpdatePlan): Promise<void> {
    const { signal } = pending;
    const [before, { version }] = [shown, moduleStore];
    turn.acquire(version);
    if (!context.isPrepared) await context.prepare();
    if (signal.aborted) return;
    // Changes made in the meantime go into the same update.
    if (moduleStore.version !== version || shown !== before) {
      turn.release(version);
      return deliver();
    }
    hot.assignVersions(plan.reloaded);
    shown = moduleStore.version;
    turn.acquire(shown);
    unfinished.add(shown);
    stored.send();
    context.beginUpdate();
    const paths = [...new Set([...plan.styles, ...findImportingStyles(plan.styles, moduleStore)])];
    send(hot.createMessage(plan, { files: [], styles: readStyleTexts(paths, moduleStore) }));
  }

  function sizeOf({ changed }: FileDifference): number {
    return changed.reduce((sum, path) => sum + (moduleStore.read(path)?.length ?? 0), 0);
  }

  function applyStyles(paths: readonly string[]): void {
    shown = moduleStore.version;
    sendStyles(paths, shown);
    void store();
  }

  function sendStyles(paths: readonly string[], version: number): void {
    const styles = readStyleTexts(paths, moduleStore);
    send({ type: 'style', styles, parts: findImportedStyles(paths, moduleStore), version });
  }

  /** Whether the page can be patched. A page with scripts can't: they may have read the document. */
  function isPatchable(): boolean {
    const text = moduleStore.readOutput(shownPath ?? '');
    return text !== undefined && shownHtml !== undefined && !hasScripts(shownHtml + text);
  }

  /** Patches the HTML. Changed stylesheets go first, so that new elements are styled at once. */
  function patchDocument(styles: readonly string[]): void {
    const before = shownHtml ?? '';
    const text = moduleStore.readOutput(shownPath ?? '') ?? '';
    shown = moduleStore.version;
    shownHtml = text;
    if (styles.length > 0) sendStyles(styles, shown);
    send({ type: 'document', before, text, version: shown });
    void store();
  }

  /** Sends the files to the service worker, after the page has its update. */
  async function store(): Promise<void> {
    const { signal } = pending;
    if (!context.isPrepared) await context.prepare();
    if (!signal.aborted) stored.send();
  }

  function applied(version: number, outcome: UpdateOutcome): void {
    const isUpdate = turn.release(version);
    if (version !== opened) unfinished.delete(version);
    if (isUpdate && outcome !== 'reload') hot.complete(outcome === 'done');
    if (outcome === 'reload') {
      shown = null;
      deliver();
    } else if (outcome === 'unused') onUnused(version);
    else if (isCurrent()) context.setState('running');
    else if (isUpdate) deliver();
  }

  /** Handles a stylesheet that the page doesn't link: another stylesheet or a script may import it. */
  function onUnused(version: number): void {
    if (version === loadingVersion) return keepPage(version);
    if (version !== shown) return;
    const paths = moduleStore.since(version - 1).changed;
    const difference = { changed: paths, removed: [], changedModules: [] };
    if (triedImporters === version) return void reload(difference);
    triedImporters = version;
    const importers = findImportingStyles(paths, moduleStore);
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
    if (savedVersionQueries) moduleStore.setVersionQueries(savedVersionQueries);
    savedVersionQueries = undefined;
    if (isCurrent()) context.setState('running');
    deliver();
  }

  async function reload(difference: FileDifference | null): Promise<void> {
    if (o.isServiceWorkerRefused()) return context.fallBack();
    loading = true;
    turn.reset();
    savedVersionQueries ??= moduleStore.versionQueries;
    moduleStore.setVersionQueries(new Map());
    const isVisible = !difference || !isUnreferenced(difference);
    if (isVisible) context.setState(context.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = pending;
    if (!context.isPrepared) await context.prepare();
    if (signal.aborted) return;
    stored.send();
    loadingVersion = requestedVersion = moduleStore.version;
    // Includes edits made during `prepare`, which may affect more than the change that was requested.
    const allChanges =
      difference && shown !== null
        ? mergeDifferences(difference, moduleStore.since(shown))
        : difference;
    const unlessUnused =
      allChanges && isUnreferenced(allChanges)
        ? [...allChanges.changed, ...allChanges.removed]
        : null;
    moduleStore.markRunning();
    knownVersion = loadingVersion;
    const found = notFoundPath === null ? undefined : o.findPath(notFoundPath);
    const path = shownPath === null ? (found ?? o.entry()) : null;
    const runParameter = `${context.runWithTools(run)}@${loadingVersion}`;
    send({ type: 'show', run: runParameter, path, version: loadingVersion, unlessUnused });
    o.expectHello(stored.isPending ? storeTimeoutMs : helloTimeoutMs);
  }

  /** Whether nothing in the page refers to the changed files, as far as its imports tell. */
  function isUnreferenced(difference: FileDifference): boolean {
    if (difference.changed.includes(shownPath ?? '')) return false;
    return isDataOnly(difference) || hot.plan(difference)?.updates.length === 0;
  }
}
