import { encodePath, hasScripts, isStylePath, resolvePath } from '@vitrine/compiler';
import { findFilePath } from '../file-urls.ts';
import type { FromFrame, UpdateOutcome } from '../protocol.ts';
import type { FrameProblem } from '../runtime-error-messages.ts';
import { findImportedStyles, isDocumentOnly, isStyleOnly } from './file-differences.ts';
import { isActive, type Event, type SrcdocFrame, type SrcdocState } from './machine.ts';
import { findEntryPage, type FileDifference } from './module-store.ts';
import type { FailureReason } from './preview-state.ts';
import { findNewModules, inlinePage, inlineStaticPage, inlineStyles } from './srcdoc-files.ts';
import { canTraverse, pushEntry, setHash, startHistory, traverse } from './session-history.ts';
import {
  busyTimeoutMs,
  helloTimeoutMs,
  noHeartbeat,
  noHotState,
  restartDebounceMs,
  Step,
  unresponsiveMs,
} from './step-base.ts';

/** Limits of every preview with this transport. */
const limitations =
  'In this browser, previews have no persistent storage, workers, or URL of their own.';

/** Maximum number of missing files per document, the newest; as many as a frame reports (frame/errors.ts). */
const maxMissing = 50;

/** Time until a document is requested again from a server that couldn't be reached. */
const reconnectMs = 1_000;

/** State before the first frame. */
export function createSrcdocState(entry: string): SrcdocState {
  return {
    kind: 'srcdoc',
    opening: 0,
    current: null,
    next: null,
    frameCount: 0,
    history: startHistory(entry),
    scroll: [0, 0],
    lockedVersion: null,
    hot: noHotState,
  };
}

/**
 * Decides for a preview in srcdoc documents, which have an opaque origin, receive all files at once
 * and become the page. Each run opens a new frame over the visible one and replaces it once it has
 * painted.
 */
export class SrcdocStep extends Step<SrcdocState> {
  handle(event: Event): void {
    switch (event.type) {
      case 'open':
        this.setStatus('starting');
        this.run({ type: 'set-limitations', line: limitations });
        return this.#start();
      case 'halt':
        this.#clear();
        return this.setStatus(event.status);
      case 'frames-gone':
        if (event.opening === this.now.opening) this.#openNext();
        return;
      case 'committed':
        if (isActive(this.status)) this.#deliver();
        return;
      case 'prepared':
        return this.#write();
      case 'navigate': {
        const { pathname, hash } = new URL(event.address, this.facts.config.origin);
        return this.#visit(pathname, hash);
      }
      case 'traverse':
        if (!canTraverse(this.now.history, event.by)) return undefined;
        this.set({ history: traverse(this.now.history, event.by) });
        return this.#show();
      case 'reload':
        return this.#reopen();
      case 'timer':
        return this.#onTimer(event.timer);
      case 'hello':
        if (event.frame === this.now.next?.frame) this.#onHello(this.now.next);
        return;
      case 'message':
        return this.#onMessage(event.frame, event.message);
      case 'reloaded':
        if (event.frame === this.#newest?.frame) this.#throttleReopening(this.#newest);
        return;
      case 'navigated-away':
        return this.#onNavigatedAway(event.frame);
      case 'access':
      case 'stored':
        return undefined;
    }
  }

  /** Whether the page shown can be reloaded, rather than run from the start. */
  get canReload(): boolean {
    const { current } = this.now;
    return current !== null && this.silenceOf(current.heartbeat) < unresponsiveMs;
  }

  // Frames

  get #entry(): string {
    return this.facts.config.entry ?? findEntryPage(this.store);
  }

  get #path(): string {
    return this.now.history.current.path;
  }

  get #newest(): SrcdocFrame | null {
    return this.now.next ?? this.now.current;
  }

  #find(frame: number): SrcdocFrame | undefined {
    return [this.now.current, this.now.next].find((each) => each?.frame === frame) ?? undefined;
  }

  #change({ frame }: SrcdocFrame, changes: Partial<SrcdocFrame>): void {
    const change = (each: SrcdocFrame | null) =>
      each?.frame === frame ? { ...each, ...changes } : each;
    this.set({ current: change(this.now.current), next: change(this.now.next) });
  }

  /** Opens a frame once all others are gone: they share a process in Chromium. */
  #start(): void {
    const isMissing = this.store.read(this.#path) === undefined && this.#path !== this.#entry;
    if (isMissing) this.#push(this.#entry, '');
    this.#clear();
    this.run({ type: 'await-removal', opening: this.now.opening });
  }

  #clear(): void {
    this.#clearTimers();
    this.#remove(this.now.current);
    this.#remove(this.now.next);
    this.lockUpdates(null);
    this.set({ current: null, next: null, opening: this.now.opening + 1 });
  }

  #clearTimers(): void {
    this.setTimer('deliver', null);
    this.setTimer('retry', null);
  }

  #remove(removed: SrcdocFrame | null): void {
    if (!removed) return;
    const { frame, heartbeat } = removed;
    this.setTimer(`hello ${frame}`, null);
    const isAnnounced = this.silenceOf(heartbeat) < unresponsiveMs;
    this.pauseHeartbeat(frame, heartbeat);
    this.run({ type: 'remove-frame', frame, isAnnounced });
  }

  #fail(reason: FailureReason): void {
    this.#clear();
    this.setFailure(reason);
  }

  #onNavigatedAway(frame: number): void {
    const found = this.#find(frame);
    if (!found) return;
    if (found.saidHello || !this.facts.isOnline) return this.#fail('navigated-away');
    // The server can't be reached: the page that is shown stays until the next one loads.
    this.#remove(found);
    this.set({ next: null });
    this.setTimer('retry', reconnectMs);
  }

  #openNext(): void {
    const isNotFound = this.store.read(this.#path) === undefined;
    // For any other page the 404 page is shown, from which the user can go back.
    if (isNotFound && this.#path === this.#entry) return this.#fail('entry-missing');
    this.#clearTimers();
    this.#remove(this.now.next);
    this.lockUpdates(null);
    this.resetHot();
    const frame = this.now.frameCount + 1;
    this.run({
      type: 'open-frame',
      frame,
      url: `${this.facts.config.origin}/__vitrine/srcdoc`,
      origin: 'null',
      isPrerendered: false,
      isHidden: this.now.current !== null,
    });
    this.setTimer(`hello ${frame}`, helloTimeoutMs);
    this.set({
      frameCount: frame,
      next: {
        frame,
        version: this.version,
        openedAt: this.facts.now,
        isPainted: false,
        heartbeat: noHeartbeat,
        html: undefined,
        saidHello: false,
        isWritten: false,
        isNotFound,
        pendingVersions: new Set(),
        isUpdatedInSilence: false,
        knownFiles: new Set(),
        missingFiles: new Set(),
      },
    });
  }

  #onHello(next: SrcdocFrame): void {
    this.#change(next, { saidHello: true });
    this.setTimer(`hello ${next.frame}`, null);
    if (this.facts.isPrepared) this.#write();
    else this.run({ type: 'prepare' });
  }

  /** Sends the project to the frame that has said hello. */
  #write(): void {
    const { next, history, scroll } = this.now;
    if (!next?.saidHello || next.isWritten) return;
    const version = this.setVersionQueries(new Map());
    const entry = history.current;
    const project = { ...inlinePage(this.store, entry), scroll: [...scroll] as [number, number] };
    this.run({ type: 'mark-running' });
    this.run({ type: 'begin-document' });
    this.run({ type: 'set-page', path: entry.path });
    this.run({ type: 'send', frame: next.frame, message: { type: 'write', project } });
    this.#change(next, {
      isWritten: true,
      version,
      html: hasScripts(project.html) ? undefined : project.html,
      knownFiles: new Set(project.files.map(([path]) => path)),
      heartbeat: this.startHeartbeat(next.frame),
    });
  }

  #onTimer(timer: string): void {
    if (timer === 'update') {
      this.lockUpdates(null);
      return this.#deliver();
    }
    if (timer === 'deliver') return this.#isCurrent ? undefined : this.#restartOrDeliver();
    if (timer === 'retry') return this.#isUnresponsive ? this.#restartOrDeliver() : this.#reopen();
    const [kind, frame] = timer.split(' ');
    const found = this.#find(Number(frame));
    if (!found) return;
    if (kind === 'hello') this.#fail('timeout');
    else if (kind === 'ping') this.#ping(found);
  }

  #ping(pinged: SrcdocFrame): void {
    const heartbeat = this.ping(pinged.frame, pinged.heartbeat);
    this.#change(pinged, { heartbeat });
    // Neither an update sent after the silence began can be the cause, nor a page that has no code yet, which can't
    // load before: frames share a process.
    const isOld = pinged.isUpdatedInSilence || this.now.next?.isWritten === false;
    if (isOld && this.silenceOf(heartbeat) >= busyTimeoutMs) return this.#restartOrDeliver();
    if (pinged.heartbeat.isUnresponsive || !heartbeat.isUnresponsive) return;
    // The page became unresponsive with something older than the newest version.
    if (Math.min(...pinged.pendingVersions) < this.version) this.#restartOrDeliver();
    else this.setStatus('unresponsive');
  }

  // Messages of a document

  #onMessage(frame: number, message: FromFrame): void {
    const sender = this.#find(frame);
    if (!sender) return;
    if (message.type === 'pong') return this.#onPong(sender);
    // Messages of the older page are outdated once a newer one is loading.
    if (sender !== this.#newest) return;
    switch (message.type) {
      case 'painted':
        return this.#onPainted(sender);
      case 'dialog':
        return this.#change(sender, {
          heartbeat: message.open
            ? this.pauseHeartbeat(frame, sender.heartbeat)
            : this.startHeartbeat(frame),
        });
      case 'scrolled':
        return this.set({ scroll: [message.x, message.y] });
      case 'visit':
        return this.#visit(`/${encodePath(message.path)}`, message.hash);
      case 'address':
        return this.#reportAddress(message.address);
      case 'applied':
        return this.#onApplied(sender, message.version, message.outcome);
      case 'invalid':
        return this.invalidateModule(message.id) ? this.#deliver() : this.#reopen();
      case 'problem':
        this.#recordMissing(sender, message.problem);
        return this.run({ type: 'forward', message });
      default:
        return this.run({ type: 'forward', message });
    }
  }

  #onPong(sender: SrcdocFrame): void {
    this.#change(sender, { heartbeat: noHeartbeat, isUpdatedInSilence: false });
    if (sender.heartbeat.isUnresponsive) this.setStatus('running');
  }

  #onPainted(painted: SrcdocFrame): void {
    this.#change(painted, { isPainted: true });
    if (painted.frame === this.now.next?.frame) this.#replaceVisible();
    if (painted.version === this.version) this.setStatus('running');
    this.#deliver();
  }

  #replaceVisible(): void {
    const { current, next } = this.now;
    this.#remove(current);
    this.set({ current: next, next: null });
    this.setHotPage(this.#path);
    if (next) this.run({ type: 'show-frame', frame: next.frame });
  }

  #onApplied(sender: SrcdocFrame, version: number, outcome: UpdateOutcome): void {
    this.unlockUpdates(version);
    const pendingVersions = new Set([...sender.pendingVersions].filter((each) => each !== version));
    this.#change(sender, { pendingVersions });
    if (outcome !== 'done' && outcome !== 'failed') return this.#reopen();
    this.completeUpdate(outcome === 'done');
    this.setStatus('running');
    this.#deliver();
  }

  #recordMissing(sender: SrcdocFrame, problem: FrameProblem): void {
    const { missingFiles } = sender;
    if (problem.kind !== 'resource') return;
    const path = problem.file || resolvePath(problem.page, problem.written);
    if (path === undefined) return;
    const newest = [...missingFiles, path].slice(-maxMissing);
    this.#change(sender, { missingFiles: new Set(newest) });
  }

  // History

  #push(path: string, hash: string): void {
    this.set({ history: pushEntry(this.now.history, { path, hash }) });
  }

  #visit(pathname: string, hash: string): void {
    const exists = (file: string) => this.store.read(file) !== undefined;
    const path = findFilePath(pathname, exists) ?? resolvePath('', pathname);
    if (path === undefined) return;
    this.#push(path, hash);
    this.#show();
  }

  /** Opens the current history entry, scrolled to the top. */
  #show(): void {
    this.set({ scroll: [0, 0] });
    if (this.#newest) this.#reopen();
  }

  /** Reports the URL. A fragment navigation stays within the history entry. */
  #reportAddress(address: string): void {
    const [hash = ''] = /#.*$/s.exec(address) ?? [];
    const history = setHash(this.now.history, hash);
    this.set({ history });
    this.run({
      type: 'set-address',
      address: {
        address,
        canGoBack: canTraverse(history, -1),
        canGoForward: canTraverse(history, 1),
      },
    });
  }

  // Updates of the document

  #reopen(): void {
    this.setStatus(this.now.current ? 'updating' : 'starting');
    this.#openNext();
  }

  /** Opens a document that reloads itself again, at most once per `unresponsiveMs`. */
  #throttleReopening({ openedAt }: SrcdocFrame): void {
    this.setTimer('retry', Math.max(0, unresponsiveMs - (this.facts.now - openedAt)));
  }

  /** The newest page has the store's version, and none of its modules is invalidated. */
  get #isCurrent(): boolean {
    return this.#newest?.version === this.version && !this.hasInvalidated;
  }

  #deliver(): void {
    const newest = this.#newest;
    if (!newest || this.#isCurrent) return;
    const difference = this.store.since(newest.version);
    const isVisible = newest === this.now.current;
    if (isVisible && isStyleOnly(difference) && !this.hasInvalidated)
      return this.#applyStyles(newest, difference.changed);
    if (isVisible && newest.isNotFound) return this.#leaveNotFound();
    const silentMs = this.#silentMs;
    const isAlive = isVisible && silentMs < unresponsiveMs;
    if (
      isAlive &&
      (this.now.lockedVersion !== null ||
        this.#patch(newest, difference) ||
        this.#update(newest, difference))
    )
      return;
    // A loading page gets time to paint, so that typing doesn't restart it over and over. A page that
    // has not responded yet may be unresponsive, and would block the next one.
    const age = silentMs > 0 ? silentMs : this.facts.now - newest.openedAt;
    this.setTimer('deliver', null);
    if (silentMs >= unresponsiveMs) this.setTimer('deliver', restartDebounceMs);
    else if (isVisible || age >= unresponsiveMs) this.#reopen();
    else this.setTimer('deliver', unresponsiveMs - age);
  }

  /** Longest silence of a frame, which affects both: they share a process. */
  get #silentMs(): number {
    const { current, next } = this.now;
    return Math.max(...[current, next].map((each) => (each ? this.silenceOf(each.heartbeat) : 0)));
  }

  get #isUnresponsive(): boolean {
    return this.#silentMs >= unresponsiveMs;
  }

  #restartOrDeliver(): void {
    if (!this.#isUnresponsive) return this.#deliver();
    this.setStatus('starting');
    this.#start();
  }

  /** After an edit, shows the page that was missing, or else the entry page. */
  #leaveNotFound(): void {
    if (this.store.read(this.#path) === undefined) this.#push(this.#entry, '');
    this.#show();
  }

  /** Patches the visible page; false if it has to be opened again. */
  #patch(shown: SrcdocFrame, difference: FileDifference): boolean {
    const { html: before, frame } = shown;
    if (before === undefined || this.hasInvalidated || !isDocumentOnly(difference, this.#path))
      return false;
    const text = inlineStaticPage(this.store, this.#path);
    if (text === undefined) return false;
    const { version } = this;
    // Styles first, so that new elements are styled at once.
    const styles = difference.changed.filter(isStylePath);
    if (styles.length > 0) this.#applyStyles(shown, styles);
    this.#change(shown, { html: text, version });
    this.run({ type: 'send', frame, message: { type: 'document', before, text, version } });
    return true;
  }

  /** Sends new modules to the visible page; false if it has to be opened again. */
  #update(shown: SrcdocFrame, difference: FileDifference): boolean {
    const plan = this.planHotUpdate(difference);
    if (!plan) return false;
    const { knownFiles, missingFiles, frame, pendingVersions } = shown;
    if (plan.updates.length === 0) {
      // A new file that nothing imports yet matters only if the page has it or has requested it.
      if (plan.unreachable.some((path) => knownFiles.has(path) || missingFiles.has(path)))
        return false;
      this.#change(shown, { version: this.version });
      return true;
    }
    const modules = findNewModules(this.store, plan, knownFiles);
    if (!modules) return false;
    const queries = new Map(this.versionQueries);
    for (const id of modules) queries.set(id, this.store.version + 1);
    const version = this.setVersionQueries(queries);
    this.#change(shown, {
      version,
      pendingVersions: new Set([...pendingVersions, version]),
      isUpdatedInSilence: this.silenceOf(shown.heartbeat) > 0,
    });
    this.lockUpdates(version);
    this.run({ type: 'begin-update' });
    this.recordUpdate(plan);
    const page = this.now.hot.page ?? '';
    const styles = inlineStyles(this.store, plan.styles);
    this.run({ type: 'send-update', frame, plan, page, modules, styles });
    this.run({ type: 'mark-running' });
    return true;
  }

  #applyStyles(shown: SrcdocFrame, changed: readonly string[]): void {
    const { version } = this;
    this.#change(shown, { version });
    const styles = inlineStyles(this.store, changed);
    const parts = findImportedStyles(
      styles.map(([path]) => path),
      this.store,
    );
    const { frame } = shown;
    this.run({ type: 'send', frame, message: { type: 'style', styles, parts, version } });
  }
}
