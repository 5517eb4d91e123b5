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

/** A new document that has not sent its hello after this long is considered lost. */
export const helloTimeoutMs = 10_000;
/** Limit for the hello while a slow network may delay the service worker, and with it the page. */
const storeTimeoutMs = 30_000;

export interface IsolatedOriginDocument {
  /** The document is a page of the project or a 404 page, not a boot page. */
  readonly canReload: boolean;
  readonly isLoading: boolean;
  /** The document that is loading is older than the module store. */
  readonly isOutdated: boolean;
  /** The document may still be running something older than the module store. */
  readonly mayRunOldCode: boolean;
  /** The document shows the module store's version, and none of its modules is invalidated. */
  readonly isCurrent: boolean;
  /** The service worker may hold files of this run. */
  readonly hasStoredFiles: boolean;
  /** The document can't be shown before the service worker responds. */
  readonly awaitsServiceWorker: boolean;
  /** The first document is loading. */
  beginLoading(): void;
  /** A document sent its hello. `exists`: its URL leads to a file of the project. */
  onHello(hello: Hello, exists: boolean): void;
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
  /** Starts the timeout for the next hello; null clears it. */
  setHelloTimeout(withinMs: number | null): void;
  /** Announces a message that needs a response; false if there is no document. */
  expectResponse(): boolean;
  /** The browser refuses the service worker, without which edits can't be shown. */
  isServiceWorkerRefused(): boolean;
  /**
   * Called for the 404 page. `exists`: its URL leads to a file of the project. False if something else is shown in its
   * place.
   */
  confirmNotFound(exists: boolean): boolean;
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
  let shownVersion: number | null = null;
  /** Path of the document; null for boot and 404 pages. */
  let shownPath: string | null = null;
  /** URL path that the 404 page was shown for. */
  let notFoundPath: string | null = null;
  /** HTML that the document was loaded from or patched to; undefined if unknown. */
  let shownHtml: string | undefined;
  /** Version that the document was loaded with. */
  let loadedVersion: number | null = null;
  /** Versions that the document was loaded with or sent modules of, and has not finished. */
  const unfinished = new Set<number>();
  /** Version for which the importers of changed stylesheets were already tried. */
  let triedImporters = -1;
  /** Set between the decision to load a page and its hello. */
  let isLoading = false;
  /** Version of the page that is loading; null if none is. */
  let loadingVersion: number | null = null;
  /** Module store version when the last page load was requested. */
  let requestedVersion = moduleStore.version;
  /** Version of the latest `show` message. The module graph of that version is known. */
  let knownVersion: number | null = null;
  /** Version queries of the running page, kept until it is certain that the page reloads. */
  let savedVersionQueries: ReadonlyMap<string, number> | undefined;
  const hotUpdates = createHotUpdates(moduleStore);
  /** Held while the page applies an HMR update. */
  const updateLock = createUpdateLock(() => deliver());
  const reloadThrottle = createReloadThrottle(() => deliver());
  const serviceWorkerFiles = createServiceWorkerFiles({
    run,
    moduleStore,
    send,
    onResponse: () => loadingVersion !== null && o.setHelloTimeout(helloTimeoutMs),
  });

  return {
    get canReload() {
      return shownPath !== null || notFoundPath !== null;
    },
    get isLoading() {
      return isLoading;
    },
    get isOutdated() {
      return isLoading && requestedVersion !== moduleStore.version;
    },
    get mayRunOldCode() {
      return Math.min(...unfinished) < moduleStore.version;
    },
    get isCurrent() {
      return isCurrent();
    },
    get hasStoredFiles() {
      return serviceWorkerFiles.mayBeStored;
    },
    get awaitsServiceWorker() {
      return shownPath === null || serviceWorkerFiles.isPending;
    },
    beginLoading() {
      isLoading = true;
      shownVersion = null;
      requestedVersion = moduleStore.version;
    },
    onHello: handleHello,
    update: deliver,
    onPainted() {
      if (loadedVersion !== null) unfinished.delete(loadedVersion);
    },
    onApplied: handleApplied,
    invalidate(id) {
      if (hotUpdates.invalidate(id)) deliver();
      else void reload(null);
    },
    reload: () => void reload(null, true),
    abortPending,
    close() {
      abortPending();
      loadingVersion = null;
      isLoading = false;
      unfinished.clear();
      hotUpdates.reset();
    },
    isStyleOnlyChange() {
      if (shownVersion === null || shownVersion === moduleStore.version) return false;
      return isStyleOnly(moduleStore.since(shownVersion));
    },
  };

  function abortPending(): void {
    pending.abort();
    pending = new AbortController();
    serviceWorkerFiles.onDocumentGone();
    updateLock.reset();
    reloadThrottle.cancel();
  }

  function handleHello({ shown: source, path }: Hello, exists: boolean): void {
    isLoading = false;
    loadingVersion = null;
    const before = shownVersion;
    shownVersion = loadedVersion = findVersion(source);
    unfinished.clear();
    if (loadedVersion !== null) unfinished.add(loadedVersion);
    if (shownVersion !== null && source.kind === 'run') serviceWorkerFiles.setVersion(shownVersion);
    // This document was not served by the service worker, so the worker doesn't hold the files (any more).
    if ((source.kind === 'absent' && exists) || source.kind === 'saved')
      serviceWorkerFiles.setVersion(null);
    shownPath = source.kind === 'saved' || source.kind === 'run' ? path : null;
    notFoundPath = source.kind === 'absent' ? path : null;
    if (source.kind !== 'boot') context.setPage(shownPath);
    if (source.kind === 'absent' && !o.confirmNotFound(exists)) return;
    // The 404 page of a broken link stays until something is edited.
    if (source.kind === 'absent' && !exists) shownVersion = moduleStore.version;
    if (before !== null || shownVersion !== null) context.beginDocument();
    shownHtml = shownVersion === moduleStore.version ? moduleStore.readOutput(path) : undefined;
    const isKnown =
      shownVersion === moduleStore.version ||
      (shownVersion !== null && shownVersion === knownVersion);
    savedVersionQueries = undefined;
    if (shownVersion === moduleStore.version) moduleStore.markRunning();
    if (isKnown && shownPath !== null) hotUpdates.setPage(shownPath);
    else hotUpdates.reset();
    if (shownVersion !== null && source.kind === 'saved' && o.isEditable) send({ type: 'install' });
    deliver();
  }

  /** Version of a document; null for one of another run or another saved revision. */
  function findVersion(source: Hello['shown']): number | null {
    if (source.kind === 'run') return source.run === run ? source.version : null;
    // A project that isn't edited here is shown as the server has it, in newer revisions too.
    if (source.kind === 'saved')
      return source.revision === options.served?.revision || !o.isEditable ? 0 : null;
    return null;
  }

  function isCurrent(): boolean {
    return shownVersion === moduleStore.version && !isLoading && !hotUpdates.hasInvalidated;
  }

  function deliver(): void {
    if (isCurrent() || !o.expectResponse()) return;
    if (isLoading || updateLock.isHeld) return;
    const difference = shownVersion === null ? null : moduleStore.since(shownVersion);
    if (difference && isStyleOnly(difference) && !hotUpdates.hasInvalidated)
      applyStyles(difference.changed);
    else if (difference && shownPath && isDocumentOnly(difference, shownPath) && isPatchable())
      patchDocument(difference.changed.filter(isStylePath));
    else {
      // Offline, the page shown is better than one whose scripts can't load.
      const canUpdate = !context.hasScriptFailure || !navigator.onLine;
      const plan = difference && canUpdate ? hotUpdates.plan(difference) : undefined;
      if (plan && plan.updates.length > 0) void update(plan);
      else if (hotUpdates.hasInvalidated || !difference) void reload(null);
      else if (reloadThrottle.tryReload(sizeOf(difference))) void reload(difference);
    }
  }

  /** Sends new modules, and the stylesheets that changed with them, to the running page. */
  async function update(plan: UpdatePlan): Promise<void> {
    const { signal } = pending;
    const [before, { version }] = [shownVersion, moduleStore];
    updateLock.acquire(version);
    if (!context.isPrepared) await context.prepare();
    if (signal.aborted) return;
    // Changes made in the meantime go into the same update.
    if (moduleStore.version !== version || shownVersion !== before) {
      updateLock.release(version);
      return deliver();
    }
    hotUpdates.assignVersions(plan.reloaded);
    shownVersion = moduleStore.version;
    updateLock.acquire(shownVersion);
    unfinished.add(shownVersion);
    serviceWorkerFiles.send();
    context.beginUpdate();
    const paths = [...new Set([...plan.styles, ...findImportingStyles(plan.styles, moduleStore)])];
    send(hotUpdates.createMessage(plan, { files: [], styles: readStyleTexts(paths, moduleStore) }));
  }

  function sizeOf({ changed }: FileDifference): number {
    return changed.reduce((sum, path) => sum + (moduleStore.read(path)?.length ?? 0), 0);
  }

  function applyStyles(paths: readonly string[]): void {
    shownVersion = moduleStore.version;
    sendStyles(paths, shownVersion);
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
    shownVersion = moduleStore.version;
    shownHtml = text;
    if (styles.length > 0) sendStyles(styles, shownVersion);
    send({ type: 'document', before, text, version: shownVersion });
    void store();
  }

  /** Sends the files to the service worker, after the page has its update. */
  async function store(): Promise<void> {
    const { signal } = pending;
    if (!context.isPrepared) await context.prepare();
    if (!signal.aborted) serviceWorkerFiles.send();
  }

  function handleApplied(version: number, outcome: UpdateOutcome): void {
    const isUpdate = updateLock.release(version);
    if (version !== loadedVersion) unfinished.delete(version);
    if (isUpdate && outcome !== 'reload') hotUpdates.complete(outcome === 'done');
    if (outcome === 'reload') {
      shownVersion = null;
      deliver();
    } else if (outcome === 'unused') onUnused(version);
    else if (isCurrent()) context.setState('running');
    else if (isUpdate) deliver();
  }

  /** Handles a stylesheet that the page doesn't link: another stylesheet or a script may import it. */
  function onUnused(version: number): void {
    if (version === loadingVersion) return keepPage(version);
    if (version !== shownVersion) return;
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
    isLoading = false;
    loadingVersion = null;
    o.setHelloTimeout(null);
    if (shownVersion === null) return deliver();
    shownVersion = version;
    if (savedVersionQueries) moduleStore.setVersionQueries(savedVersionQueries);
    savedVersionQueries = undefined;
    if (isCurrent()) context.setState('running');
    deliver();
  }

  /** `staysAtUrl`: a 404 page is shown again while its file is missing, and not left for the entry page. */
  async function reload(difference: FileDifference | null, staysAtUrl = false): Promise<void> {
    if (o.isServiceWorkerRefused()) return context.fallBack();
    isLoading = true;
    updateLock.reset();
    savedVersionQueries ??= moduleStore.versionQueries;
    moduleStore.setVersionQueries(new Map());
    const isVisible = !difference || !isUnreferenced(difference);
    if (isVisible) context.setState(context.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = pending;
    if (!context.isPrepared) await context.prepare();
    if (signal.aborted) return;
    serviceWorkerFiles.send();
    loadingVersion = requestedVersion = moduleStore.version;
    // Includes edits made during `prepare`, which may affect more than the change that was requested.
    const allChanges =
      difference && shownVersion !== null
        ? mergeDifferences(difference, moduleStore.since(shownVersion))
        : difference;
    const unlessUnused =
      allChanges && isUnreferenced(allChanges)
        ? [...allChanges.changed, ...allChanges.removed]
        : null;
    moduleStore.markRunning();
    knownVersion = loadingVersion;
    const found = notFoundPath === null ? undefined : o.findPath(notFoundPath);
    const isLeft = shownPath === null && !(staysAtUrl && notFoundPath !== null);
    const path = isLeft ? (found ?? o.entry()) : null;
    const runParameter = `${context.runWithTools(run)}@${loadingVersion}`;
    send({ type: 'show', run: runParameter, path, version: loadingVersion, unlessUnused });
    o.setHelloTimeout(serviceWorkerFiles.isPending ? storeTimeoutMs : helloTimeoutMs);
  }

  /** Whether nothing in the page refers to the changed files, as far as its imports tell. */
  function isUnreferenced(difference: FileDifference): boolean {
    // The 404 page refers to no file; any may be the missing one.
    if (shownPath === null) return false;
    if (difference.changed.includes(shownPath)) return false;
    return isDataOnly(difference) || hotUpdates.plan(difference)?.updates.length === 0;
  }
}
