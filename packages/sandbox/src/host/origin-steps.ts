import { hasScripts, isStylePath } from '@vitrine/compiler';
import { findFilePath, getServedPath } from '../file-urls.ts';
import type { FromFrame, Hello, StoreResponse, ToFrame, UpdateOutcome } from '../protocol.ts';
import { createAccessUrl, createBootUrl, createPageUrl } from '../run-urls.ts';
import {
  findImportedStyles,
  findImportingStyles,
  isDataOnly,
  isDocumentOnly,
  isStyleOnly,
  mergeDifferences,
  readStyleTexts,
} from './file-differences.ts';
import { findEntryPage, type FileDifference } from './module-store.ts';
import {
  isActive,
  type AccessResult,
  type Event,
  type OriginDocument,
  type OriginState,
} from './machine.ts';
import type { UpdatePlan } from './plan-update.ts';
import type { FailureReason } from './preview-state.ts';
import {
  busyTimeoutMs,
  helloTimeoutMs,
  noHeartbeat,
  noHotState,
  restartDebounceMs,
  Step,
  unresponsiveMs,
} from './step-base.ts';

/** Limit for the hello while a slow network may delay the service worker, and with it the page. */
const storeTimeoutMs = 30_000;
/** Time for the hello of a document that is opened again, since a busy server may take that long. */
const retryHelloTimeoutMs = 30_000;
/** A page that announced its unload and is still there after this long was not unloaded. */
const unloadTimeoutMs = 3_000;
/**
 * A document that hasn't sent its hello after this long is pinged: either its code doesn't return, or
 * its first script is slow to load.
 */
const silentStartMs = 3_000;
/** Shortest time that the app's permission to see a private project stays valid. */
const accessValidMs = 5_000;
/** Margin over `unresponsiveMs` before the first check. */
const firstCheckMarginMs = 50;
/** Time without an edit that counts as a pause in typing. */
const pauseMs = 200;
/** During continuous typing, the page reloads this often. */
const maxIntervalMs = 1_500;
/** UTF-16 units. Loading a page with a script of this size takes longer than between two keystrokes. */
const largeText = 50_000;

const noDocument: OriginDocument = {
  version: null,
  path: null,
  notFoundPath: null,
  html: undefined,
  loadedVersion: null,
  unfinished: new Set(),
  triedImporters: -1,
};

const timers = ['hello', 'silence', 'update', 'reload', 'watch'] as const;

/** State before the first frame. */
export function createOriginState(entry: string | null): OriginState {
  return {
    kind: 'isolated-origin',
    opening: 0,
    frame: 'none',
    lastPage: entry,
    nextAddress: null,
    hasPrerendered: true,
    isRetry: false,
    isUnloading: false,
    reloadsNext: false,
    isServiceWorkerRefused: false,
    accessRequestedAt: -Infinity,
    restartedVersion: null,
    watchedSince: null,
    heartbeat: noHeartbeat,
    document: noDocument,
    loading: null,
    knownVersion: null,
    awaitsPreparation: [],
    lockedVersion: null,
    hot: noHotState,
    stored: { confirmed: null, sent: null, messageCount: 0, lastFull: 0, pending: null },
    editedAt: -Infinity,
    reloadedAt: -Infinity,
  };
}

/**
 * Decides for a preview on an isolated origin. A saved project that can be edited here opens with the
 * server's page, and the service worker is installed in the background. A draft opens with an empty
 * page that hands the files to the service worker first. From the first edit on, the service worker
 * responds. A saved project that can't be edited here has no service worker.
 *
 * The document, the files in the service worker and the module store each have a version. `deliver`
 * brings the document up to the store's version with the smallest step that is correct: replacing
 * stylesheets, patching the HTML, an HMR update, or a reload.
 */
export class OriginStep extends Step<OriginState> {
  handle(event: Event): void {
    switch (event.type) {
      case 'open':
        return this.#restart();
      case 'halt':
        this.#close();
        return this.setStatus(event.status);
      case 'frames-gone':
        if (this.#is('removal', event.opening)) this.#openFrame();
        return;
      case 'access':
        if (this.#is('access', event.opening)) this.#onAccess(event.result);
        return;
      case 'committed':
        if (isActive(this.status)) this.#deliver();
        return;
      case 'prepared':
        return this.#onPrepared();
      case 'navigate':
        return this.#navigate(event.address);
      case 'traverse':
        return this.#send({ type: 'travel', by: event.by });
      case 'reload':
        this.#reload(null, true);
        return this.set({ reloadsNext: this.now.isUnloading });
      case 'stored':
        return this.#onStored(event.message, event.response);
      case 'timer':
        return this.#onTimer(event.timer);
      case 'hello':
        if (this.#is('open', event.frame)) this.#onHello(event.hello);
        return;
      case 'message':
        if (this.#is('open', event.frame)) this.#onMessage(event.message);
        return;
      case 'navigated-away':
        if (this.#is('open', event.frame)) this.#fail('navigated-away');
        return;
      case 'reloaded':
        return undefined;
    }
  }

  /** Whether the page shown can be reloaded, rather than run from the start. */
  get canReload(): boolean {
    const { frame, document } = this.now;
    const isShown = document.path !== null || document.notFoundPath !== null;
    return frame === 'open' && isShown && !this.#isUnresponsive;
  }

  // The frame

  /** Whether the frame of this opening is in this state; false for earlier ones. */
  #is(frame: OriginState['frame'], opening: number): boolean {
    return this.now.frame === frame && this.now.opening === opening;
  }

  #open(): void {
    this.#close();
    const opening = this.now.opening + 1;
    this.set({
      opening,
      frame: 'removal',
      document: { ...this.now.document, version: null },
      loading: this.#loading({}),
    });
    this.run({ type: 'await-removal', opening });
  }

  #openFrame(): void {
    const { config, isOnline, isPrepared } = this.facts;
    const { servedRevision, origin, run, isEditable } = config;
    const isSaved = servedRevision !== null && this.store.version === 0;
    if (this.#adoptPrerendered(isSaved)) return;
    // Offline, only the service worker can respond.
    const needsServiceWorker = isEditable && isPrepared && !isOnline;
    if (!isSaved || needsServiceWorker) return this.#openAt(createBootUrl(origin, run));
    if (!this.facts.needsAccess) return this.#openAt(this.#pageUrl());
    const { opening } = this.now;
    this.set({ frame: 'access', accessRequestedAt: this.facts.now });
    this.run({ type: 'request-access', opening });
  }

  #pageUrl(): string {
    const path = this.#servedPath(this.#findPage());
    return createPageUrl(this.facts.config.origin, path, this.facts.runWithTools);
  }

  #onAccess(result: AccessResult): void {
    const { config, isPrepared } = this.facts;
    if (result === 'refused') return this.#fail('not-allowed');
    if (result !== 'unreachable') return this.#openAt(createAccessUrl(result.url, this.#pageUrl()));
    // Without the server, as offline, only the service worker can respond.
    if (!config.isEditable || !isPrepared) return this.#fail('timeout');
    this.#openAt(createBootUrl(config.origin, config.run));
  }

  /** Adopts the prerendered frame if it shows what would be opened now. Returns whether it did. */
  #adoptPrerendered(isSaved: boolean): boolean {
    const { prerenderedUrl: url, config, runWithTools } = this.facts;
    const { hasPrerendered } = this.now;
    this.set({ hasPrerendered: false });
    if (!hasPrerendered || url === null) return false;
    const showsEntryPage =
      new URL(url).origin === config.origin && this.#findPage() === findEntryPage(this.store);
    const isSame = isSaved && showsEntryPage && runWithTools === config.run;
    if (isSame) this.#openAt(url, true);
    else this.run({ type: 'discard-prerendered' });
    return isSame;
  }

  #openAt(url: string, isPrerendered = false): void {
    const { origin } = this.facts.config;
    const { opening: frame } = this.now;
    this.run({ type: 'open-frame', frame, url, origin, isPrerendered, isHidden: false });
    this.set({ frame: 'open' });
    this.setTimer('hello', this.now.isRetry ? retryHelloTimeoutMs : helloTimeoutMs);
    this.setTimer('silence', silentStartMs);
  }

  #close(): void {
    const { frame, opening: number } = this.now;
    if (frame === 'open')
      this.run({ type: 'remove-frame', frame: number, isAnnounced: !this.#isUnresponsive });
    for (const timer of timers) this.setTimer(timer, null);
    const heartbeat = this.pauseHeartbeat(number, this.now.heartbeat);
    this.#abortPending();
    this.set({
      frame: 'none',
      isUnloading: false,
      reloadsNext: false,
      watchedSince: null,
      loading: null,
      heartbeat,
      document: { ...this.now.document, unfinished: new Set() },
    });
    this.resetHot();
  }

  #fail(reason: FailureReason): void {
    this.#close();
    this.setFailure(reason);
  }

  #send(message: ToFrame): void {
    const { frame, opening } = this.now;
    if (frame === 'open') this.run({ type: 'send', frame: opening, message });
  }

  #navigate(address: string): void {
    // Remembered for the next frame, in case this one is replaced or not open yet.
    const { lastPage, loading, isUnloading } = this.now;
    this.set({
      lastPage: this.#findAddress(address) ?? lastPage,
      nextAddress: loading || isUnloading ? address : null,
    });
    if (this.#isUnresponsive) return this.#restart();
    if (!loading) this.#send({ type: 'go', run: this.facts.runWithTools, address });
  }

  /** Page that the next frame opens. */
  #findPage(): string {
    const { lastPage } = this.now;
    if (lastPage !== null && this.store.read(lastPage) !== undefined) return lastPage;
    return this.facts.config.entry ?? findEntryPage(this.store);
  }

  /** Path of a file in its URL, which lacks `public`. */
  #servedPath(path: string): string {
    return getServedPath(path, (other) => this.store.read(other) !== undefined);
  }

  /** Paths of the URLs that lead to changed and removed files. */
  #listUrlPaths({ changed, removed }: FileDifference): string[] {
    const paths = [...changed, ...removed];
    return [...new Set([...paths, ...paths.map((path) => this.#servedPath(path))])];
  }

  #findAddress(address: string): string | undefined {
    return this.#findPath(new URL(address, this.facts.config.origin).pathname);
  }

  #findPath(pathname: string): string | undefined {
    return findFilePath(pathname, (path) => this.store.read(path) !== undefined);
  }

  #onTimer(timer: string): void {
    switch (timer) {
      case 'hello':
        return this.#onHelloTimeout();
      case 'silence':
        if (this.facts.awaitsHello || this.now.isUnloading) this.#beat();
        return;
      case 'update':
        this.lockUpdates(null);
        return this.#deliver();
      case 'reload':
        return this.#deliver();
      case 'watch':
        return this.#checkWatched();
      case `ping ${this.now.opening}`:
        return this.#ping();
    }
  }

  #onHelloTimeout(): void {
    if (this.facts.awaitsHello) return this.#beat();
    // The page waits for a service worker that needs the network.
    if (this.#awaitsServiceWorker && !this.facts.isOnline)
      return this.setTimer('hello', helloTimeoutMs);
    if (this.now.isRetry) {
      this.set({ isRetry: false });
      return this.#fail('timeout');
    }
    // A server that has just started, or a busy machine, may only have been too slow.
    this.set({ isRetry: true });
    this.#open();
  }

  /** Starts the heartbeat of the document that the frame holds now, and updates it. */
  #beat(): void {
    this.set({ heartbeat: this.startHeartbeat(this.now.opening) });
    // A loading page of the newest version may hang before its hello; a new one would hang too.
    if (!this.now.loading || this.#isOutdated) this.#deliver();
  }

  #ping(): void {
    const wasUnresponsive = this.now.heartbeat.isUnresponsive;
    this.set({ heartbeat: this.ping(this.now.opening, this.now.heartbeat) });
    if (wasUnresponsive || !this.now.heartbeat.isUnresponsive) return;
    this.setTimer('hello', null);
    this.setStatus('unresponsive');
  }

  get #isUnresponsive(): boolean {
    return this.silenceOf(this.now.heartbeat) >= unresponsiveMs;
  }

  // Unresponsive pages. P-21

  /** Watches the page after a message that needs a response; false if there is no page. */
  #watch(): boolean {
    if (this.now.frame !== 'open') return false;
    this.set({ watchedSince: this.facts.now });
    this.setTimer(
      'watch',
      this.#isUnresponsive ? restartDebounceMs : unresponsiveMs + firstCheckMarginMs,
    );
    return true;
  }

  #checkWatched(): void {
    const { watchedSince, heartbeat } = this.now;
    if (watchedSince === null) return;
    const silentMs = this.silenceOf(heartbeat);
    // An update sent after the silence began can't be the cause.
    const wasSilent = this.facts.now - silentMs <= watchedSince;
    if (!wasSilent && !this.#mayRunOldCode) return this.set({ watchedSince: null });
    if (silentMs >= (wasSilent ? unresponsiveMs : busyTimeoutMs)) this.#replaceUnresponsive();
    else this.setTimer('watch', restartDebounceMs);
  }

  /** Whether the document may run code older than the store's. */
  get #mayRunOldCode(): boolean {
    const { loading, document, isUnloading } = this.now;
    // Missing pongs are those of the previous page, which hasn't been unloaded yet.
    if (loading) return this.#isOutdated || !(isUnloading || this.facts.awaitsHello);
    return Math.min(...document.unfinished) < this.version;
  }

  /** The page that is loading is older than the store. */
  get #isOutdated(): boolean {
    const { loading } = this.now;
    return loading !== null && loading.requestedVersion !== this.version;
  }

  /** Replaces an unresponsive page. Only removing the frame can stop code that doesn't return. */
  #replaceUnresponsive(): void {
    const { document, restartedVersion } = this.now;
    const { version } = this;
    const { loadedVersion } = document;
    const isStyleChange = loadedVersion !== null && isStyleOnly(this.store.since(loadedVersion));
    // Changing a stylesheet can't fix an infinite loop.
    if (isStyleChange || restartedVersion === version) return;
    this.set({ restartedVersion: version });
    this.#restart();
  }

  #restart(): void {
    this.setStatus('starting');
    this.#open();
  }

  // Messages of the document

  #onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        return this.#onPong();
      case 'unloading':
        this.set({
          isUnloading: true,
          heartbeat: this.pauseHeartbeat(this.now.opening, this.now.heartbeat),
        });
        return this.setTimer('silence', unloadTimeoutMs);
      case 'dialog':
        return this.set({
          heartbeat: message.open
            ? this.pauseHeartbeat(this.now.opening, this.now.heartbeat)
            : this.startHeartbeat(this.now.opening),
        });
      case 'painted':
        this.#finish(this.now.document.loadedVersion);
        if (this.#isCurrent) this.setStatus('running');
        return;
      case 'applied':
        return this.#onApplied(message.version, message.outcome);
      case 'invalid':
        return this.invalidateModule(message.id) ? this.#deliver() : this.#reload(null);
      case 'service-worker-unavailable':
        this.set({ isServiceWorkerRefused: true });
        // The server's page needs no service worker until a file is edited.
        if (this.#awaitsServiceWorker) this.#fallBack();
        return;
      case 'address':
        return this.run({ type: 'set-address', address: message });
      default:
        return this.run({ type: 'forward', message });
    }
  }

  #onPong(): void {
    const { isUnresponsive } = this.now.heartbeat;
    this.set({ heartbeat: noHeartbeat });
    if (isUnresponsive) this.setStatus('running');
  }

  #fallBack(): void {
    this.#close();
    this.run({ type: 'fall-back' });
  }

  #onHello(hello: Hello): void {
    const { shown, path } = hello;
    const { reloadsNext, nextAddress } = this.now;
    const exists = this.#findPath(path) !== undefined;
    this.#abortPending();
    this.setTimer('hello', null);
    this.setTimer('silence', null);
    this.setTimer('watch', null);
    this.set({
      isUnloading: false,
      reloadsNext: false,
      isRetry: false,
      watchedSince: null,
      heartbeat: this.startHeartbeat(this.now.opening),
    });
    const isPage = shown.kind === 'saved' || shown.kind === 'run';
    if (isPage) this.set({ lastPage: path, nextAddress: null });
    else if (shown.kind === 'absent' && !exists) this.set({ lastPage: this.facts.config.entry });
    if (!this.#onDocument(hello, exists)) return;
    if (isPage && nextAddress !== null && this.#findAddress(nextAddress) !== path)
      this.#navigate(nextAddress);
    else if (reloadsNext && this.canReload) this.#reload(null, true);
    else this.#deliver();
  }

  /** Records the document of a hello. Returns whether it stays. */
  #onDocument({ shown, path }: Hello, exists: boolean): boolean {
    const hadVersion = this.now.document.version !== null;
    const { knownVersion } = this.now;
    const loadedVersion = this.#findVersion(shown);
    const isPage = shown.kind === 'saved' || shown.kind === 'run';
    this.set({
      loading: null,
      document: {
        ...noDocument,
        version: loadedVersion,
        loadedVersion,
        unfinished: new Set(loadedVersion === null ? [] : [loadedVersion]),
        path: isPage ? path : null,
        notFoundPath: shown.kind === 'absent' ? path : null,
      },
    });
    if (loadedVersion !== null && shown.kind === 'run') this.#setStored(loadedVersion);
    // The service worker didn't serve this document, so it doesn't hold the files (any more).
    if ((shown.kind === 'absent' && exists) || shown.kind === 'saved') this.#setStored(null);
    if (shown.kind !== 'boot') this.run({ type: 'set-page', path: isPage ? path : null });
    if (shown.kind === 'absent' && !this.#confirmNotFound(exists)) return false;
    // The 404 page of a broken link stays until something is edited.
    const { version: newest } = this;
    const version = shown.kind === 'absent' && !exists ? newest : loadedVersion;
    if (hadVersion || version !== null) this.run({ type: 'begin-document' });
    const isNewest = version === newest;
    this.#setDocument({ version, html: isNewest ? this.store.readOutput(path) : undefined });
    if (isNewest) this.run({ type: 'mark-running' });
    // The module graph of the version that was asked for is known.
    const isKnown = isNewest || (version !== null && version === knownVersion);
    if (isKnown && isPage) this.setHotPage(path);
    else this.resetHot();
    if (version !== null && shown.kind === 'saved' && this.facts.config.isEditable)
      this.#send({ type: 'install' });
    return true;
  }

  /** Version of a document; null for one of another run or another saved revision. */
  #findVersion(shown: Hello['shown']): number | null {
    const { run, servedRevision, isEditable } = this.facts.config;
    if (shown.kind === 'run') return shown.run === run ? shown.version : null;
    // A project that isn't edited here is shown as the server has it, in newer revisions too.
    if (shown.kind === 'saved') return shown.revision === servedRevision || !isEditable ? 0 : null;
    return null;
  }

  /**
   * Decides what a 404 page means: the preview's session has expired, the entry page is missing, the
   * server doesn't show the project any more, or a broken link.
   */
  #confirmNotFound(exists: boolean): boolean {
    const { needsAccess, now, config } = this.facts;
    if (exists && needsAccess && now - this.now.accessRequestedAt > accessValidMs) this.#open();
    else if (this.store.read(this.#findPage()) === undefined) this.#fail('entry-missing');
    else if (exists && !config.isEditable) this.#fail('not-allowed');
    else return true;
    return false;
  }

  // Updates of the document

  /** The document shows the store's version, and none of its modules is invalidated. */
  get #isCurrent(): boolean {
    const { document, loading } = this.now;
    return document.version === this.version && !loading && !this.hasInvalidated;
  }

  get #awaitsServiceWorker(): boolean {
    return this.now.document.path === null || this.now.stored.pending !== null;
  }

  #setDocument(changes: Partial<OriginDocument>): void {
    this.set({ document: { ...this.now.document, ...changes } });
  }

  /** Brings the document up to the store's version. `isPrepared`: the initial files are compiled. */
  #deliver(isPrepared = this.facts.isPrepared): void {
    if (this.#isCurrent || !this.#watch()) return;
    const { loading, lockedVersion, document } = this.now;
    if (loading || lockedVersion !== null) return;
    const difference = document.version === null ? null : this.store.since(document.version);
    if (difference && isStyleOnly(difference) && !this.hasInvalidated)
      return this.#applyStyles(difference.changed);
    if (difference && this.#isPatchable(difference))
      return this.#patch(difference.changed.filter(isStylePath));
    // Offline, the page shown is better than one whose scripts can't load.
    const canUpdate = !this.facts.hasScriptFailure || !this.facts.isOnline;
    const plan = difference && canUpdate ? this.planHotUpdate(difference) : undefined;
    if (plan && plan.updates.length > 0) this.#update(plan, isPrepared);
    else if (this.hasInvalidated || !difference) this.#reload(null);
    else if (this.#tryReload(difference)) this.#reload(difference);
  }

  #onPrepared(): void {
    const { awaitsPreparation } = this.now;
    this.set({ awaitsPreparation: [] });
    if (awaitsPreparation.includes('store')) this.#store();
    if (awaitsPreparation.includes('reload')) this.#show();
    else if (awaitsPreparation.includes('update')) {
      this.lockUpdates(null);
      this.#deliver(true);
    }
  }

  /** Runs the rest at once, or when the initial files are compiled. */
  #afterPreparation(what: OriginState['awaitsPreparation'][number], rest: () => void): void {
    if (this.facts.isPrepared) return rest();
    this.set({ awaitsPreparation: [...this.now.awaitsPreparation, what] });
    this.run({ type: 'prepare' });
  }

  /** Sends new modules, and the stylesheets that changed with them, to the running page. */
  #update(plan: UpdatePlan, isPrepared: boolean): void {
    if (!isPrepared) {
      this.lockUpdates(this.version);
      return this.#afterPreparation('update', () => undefined);
    }
    const queries = new Map(this.versionQueries);
    for (const id of plan.reloaded) queries.set(id, this.store.version + 1);
    const version = this.setVersionQueries(queries);
    const { unfinished } = this.now.document;
    this.#setDocument({ version, unfinished: new Set([...unfinished, version]) });
    this.lockUpdates(version);
    this.#store(version);
    this.run({ type: 'begin-update' });
    this.recordUpdate(plan);
    const paths = [...new Set([...plan.styles, ...findImportingStyles(plan.styles, this.store)])];
    this.run({
      type: 'send-update',
      frame: this.now.opening,
      plan,
      page: this.now.hot.page ?? '',
      modules: [],
      styles: this.#readStyles(paths),
    });
    this.run({ type: 'mark-running' });
  }

  #applyStyles(paths: readonly string[]): void {
    this.#setDocument({ version: this.version });
    this.#sendStyles(paths);
    this.#afterPreparation('store', () => this.#store());
  }

  #sendStyles(paths: readonly string[]): void {
    const { store } = this;
    const parts = findImportedStyles(paths, store);
    const styles = this.#readStyles(paths);
    this.#send({ type: 'style', styles, parts, version: this.version });
  }

  /** Texts of stylesheets by the paths of their URLs. */
  #readStyles(paths: readonly string[]): [path: string, text: string][] {
    return readStyleTexts(paths, this.store).map(([path, text]) => [this.#servedPath(path), text]);
  }

  /** Whether the page can be patched. One with scripts can't: they may have read the document. */
  #isPatchable(difference: FileDifference): boolean {
    const { path, html } = this.now.document;
    if (path === null || html === undefined || !isDocumentOnly(difference, path)) return false;
    const text = this.store.readOutput(path);
    return text !== undefined && !hasScripts(html + text);
  }

  /** Patches the HTML. Changed stylesheets go first, so that new elements are styled at once. */
  #patch(styles: readonly string[]): void {
    const { path, html: before = '' } = this.now.document;
    const { version } = this;
    const text = this.store.readOutput(path ?? '') ?? '';
    this.#setDocument({ version, html: text });
    if (styles.length > 0) this.#sendStyles(styles);
    this.#send({ type: 'document', before, text, version });
    this.#afterPreparation('store', () => this.#store());
  }

  #onApplied(version: number, outcome: UpdateOutcome): void {
    const isUpdate = this.unlockUpdates(version);
    if (version !== this.now.document.loadedVersion) this.#finish(version);
    // One that took too long may fail after later ones were sent.
    if (outcome === 'failed' || (isUpdate && outcome === 'done'))
      this.completeUpdate(outcome === 'done');
    if (outcome === 'reload') {
      this.#setDocument({ version: null });
      this.#deliver();
    } else if (outcome === 'unused') this.#onUnused(version);
    else if (this.#isCurrent) this.setStatus('running');
    else if (isUpdate) this.#deliver();
  }

  #finish(version: number | null): void {
    const { unfinished } = this.now.document;
    this.#setDocument({ unfinished: new Set([...unfinished].filter((each) => each !== version)) });
  }

  /** Handles a stylesheet that the page doesn't link: another one or a script may import it. */
  #onUnused(version: number): void {
    const { loading, document } = this.now;
    // The outcome may be that of an earlier request for the same version, before the user's reload.
    if (loading?.version === version)
      return loading.difference ? this.#keepPage(version) : undefined;
    if (version !== document.version) return;
    const { changed } = this.store.since(version - 1);
    const difference = { changed, removed: [], changedModules: [] };
    const wasTried = document.triedImporters === version;
    this.#setDocument({ triedImporters: version });
    const importers = wasTried ? [] : findImportingStyles(changed, this.store);
    if (importers.length > 0) this.#applyStyles(importers);
    else this.#reload(difference);
  }

  /** Keeps the page after all, unless it has requested a reload itself in the meantime. */
  #keepPage(version: number): void {
    const { loading, nextAddress } = this.now;
    this.set({ loading: null });
    this.setTimer('hello', null);
    if (this.now.document.version === null) return this.#deliver();
    this.#setDocument({ version });
    if (loading?.savedQueries) this.setVersionQueries(loading.savedQueries);
    if (this.#isCurrent) this.setStatus('running');
    if (nextAddress === null) this.#deliver();
    else this.#navigate(nextAddress);
  }

  // Reloads

  /** Whether to reload for an edit at once: during typing, large changes wait for a pause. P-36 */
  #tryReload({ changed }: FileDifference): boolean {
    const { now } = this.facts;
    const { editedAt, reloadedAt } = this.now;
    const length = changed.reduce((sum, path) => sum + (this.store.read(path)?.length ?? 0), 0);
    const isTyping = now - editedAt < pauseMs && now - reloadedAt < maxIntervalMs;
    const waits = isTyping && length > largeText;
    this.set({ editedAt: now, ...(!waits && { reloadedAt: now }) });
    // One millisecond later than what still counts as typing.
    this.setTimer('reload', waits ? pauseMs + 1 : null);
    return !waits;
  }

  #loading(changes: Partial<NonNullable<OriginState['loading']>>) {
    return {
      requestedVersion: this.version,
      version: null,
      difference: null,
      staysAtUrl: false,
      savedQueries: null,
      ...changes,
    };
  }

  #reload(difference: FileDifference | null, staysAtUrl = false): void {
    if (this.now.isServiceWorkerRefused) return this.#fallBack();
    const savedQueries = this.now.loading?.savedQueries ?? this.versionQueries;
    this.lockUpdates(null);
    const requestedVersion = this.setVersionQueries(new Map());
    this.set({
      loading: this.#loading({ requestedVersion, difference, staysAtUrl, savedQueries }),
    });
    const isVisible = !difference || !this.#isUnreferenced(difference);
    if (isVisible) this.setStatus(this.status === 'starting' ? 'starting' : 'updating');
    this.#afterPreparation('reload', () => this.#show());
  }

  /** Requests the page in the store's version. */
  #show(): void {
    const { loading, document } = this.now;
    if (!loading) return;
    const version = this.store.versionWith(new Map());
    this.#store(version);
    // Includes edits made meanwhile, which may affect more than the change that was requested.
    const { difference } = loading;
    const all =
      difference && document.version !== null
        ? mergeDifferences(difference, this.store.since(document.version))
        : difference;
    const unlessUnused = all && this.#isUnreferenced(all) ? this.#listUrlPaths(all) : null;
    this.set({
      knownVersion: version,
      loading: { ...loading, requestedVersion: version, version },
    });
    this.run({ type: 'mark-running' });
    const { notFoundPath, path: shownPath } = document;
    const found = notFoundPath === null ? undefined : this.#findPath(notFoundPath);
    const isLeft = shownPath === null && !(loading.staysAtUrl && notFoundPath !== null);
    const path = isLeft ? this.#servedPath(found ?? this.#findPage()) : null;
    const run = `${this.facts.runWithTools}@${version}`;
    this.#send({ type: 'show', run, path, version, unlessUnused });
    const isPending = this.now.stored.pending !== null;
    this.setTimer('hello', isPending ? storeTimeoutMs : helloTimeoutMs);
  }

  /** Whether nothing in the page refers to the changed files, as far as its imports tell. */
  #isUnreferenced(difference: FileDifference): boolean {
    const { path } = this.now.document;
    // The 404 page refers to no file; any may be the missing one.
    if (path === null || difference.changed.includes(path)) return false;
    return isDataOnly(difference) || this.planHotUpdate(difference)?.updates.length === 0;
  }

  // Files in the service worker. The host doesn't wait for its response, because it delays requests
  // until it has the version that they ask for (P-17).

  #setStored(version: number | null): void {
    this.set({ stored: { ...this.now.stored, confirmed: version, sent: version } });
  }

  /** Sends what the service worker lacks of the store's version. */
  #store(version = this.version): void {
    const { stored, opening } = this.now;
    if (stored.sent === version || !this.#is('open', opening)) return;
    const base = stored.sent;
    const message = stored.messageCount + 1;
    this.set({
      stored: {
        ...stored,
        sent: version,
        messageCount: message,
        pending: message,
        lastFull: base === null ? message : stored.lastFull,
      },
    });
    this.run({ type: 'store', frame: opening, base, version, message });
  }

  #onStored(message: number, response: StoreResponse): void {
    const { stored } = this.now;
    if (message < stored.lastFull) return;
    const pending = message === stored.pending ? null : stored.pending;
    if (response.type === 'stored') {
      const confirmed = Math.max(response.version, stored.confirmed ?? 0);
      const sent = Math.max(response.version, stored.sent ?? 0);
      this.set({ stored: { ...stored, pending, confirmed, sent } });
    } else {
      this.set({ stored: { ...stored, pending, confirmed: null, sent: null } });
      this.#store();
    }
    if (this.now.loading?.version != null) this.setTimer('hello', helloTimeoutMs);
  }

  /** Drops what waits for a response of a document that is gone: messages may not have arrived. */
  #abortPending(): void {
    const { stored } = this.now;
    this.set({
      awaitsPreparation: [],
      stored: { ...stored, pending: null, sent: stored.confirmed },
    });
    this.lockUpdates(null);
    this.setTimer('reload', null);
  }
}
