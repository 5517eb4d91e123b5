import { limits } from '@vitrine/project';
import { planUpdate, type UpdatePlan } from './plan-update.ts';
import type {
  Effect,
  Event,
  Facts,
  Heartbeat,
  HotState,
  OriginState,
  SrcdocState,
  State,
  Status,
} from './machine.ts';
import { isStylePath } from '@vitrine/compiler';
import type { FileDifference, ModuleStore } from './module-store.ts';
import type { FailureReason } from './preview-state.ts';

/** Silence after which a page counts as unresponsive when its code changes, in milliseconds. */
export const unresponsiveMs = 400;
/**
 * Silence after which a page that responded until the update counts as unresponsive. Longer than for
 * one that was already silent, because it may just be busy with earlier work.
 */
export const busyTimeoutMs = 1_000;
/**
 * Time without edits before an unresponsive page is replaced, and the interval of later checks. The
 * next keystroke may hang the page again, and a process for each one would slow down typing.
 */
export const restartDebounceMs = 200;
/** A new document that has not sent its hello after this long is considered lost. */
export const helloTimeoutMs = 10_000;
/** Time that new modules may take before a later edit is sent without waiting for them. P-32 */
export const updateTimeoutMs = 1_000;

const pingIntervalMs = 250;

export const noHeartbeat: Heartbeat = { pingedAt: null, isUnresponsive: false };

export const noHotState: HotState = {
  page: null,
  invalid: new Set(),
  invalidatedBefore: new Set(),
  sentUpdates: [],
  isBroken: false,
};

/** One step of the machine: the next state, and the effects that lead there. */
export abstract class Step<Transport extends OriginState | SrcdocState> {
  protected readonly facts: Facts;
  #effects: Effect[] = [];
  #state: State;
  #transport: Transport;
  /** Version queries that this step sets; undefined while it sets none. */
  #versionQueries: ReadonlyMap<string, number> | undefined;

  constructor(state: State, transport: Transport, facts: Facts) {
    this.#state = state;
    this.#transport = transport;
    this.facts = facts;
  }

  get state(): State {
    return { ...this.#state, transport: this.#transport };
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  abstract handle(event: Event): void;

  protected get now(): Transport {
    return this.#transport;
  }

  protected get store(): ModuleStore {
    return this.facts.store;
  }

  protected get status(): Status {
    return this.#state.status;
  }

  protected set(changes: Partial<Transport>): void {
    this.#transport = { ...this.#transport, ...changes };
  }

  protected run(effect: Effect): void {
    this.#effects.push(effect);
  }

  protected setStatus(status: Exclude<Status, 'failed'>): void {
    this.#state = { ...this.#state, status, failure: null };
  }

  /** Offline, any page that didn't come or looks like another one is the browser's error page. */
  protected setFailure(reason: FailureReason): void {
    const isExplained = reason === 'entry-missing' || this.facts.isOnline;
    const failure = isExplained ? reason : 'offline';
    this.#state = { ...this.#state, status: 'failed', failure };
  }

  protected setTimer(timer: string, ms: number | null): void {
    this.run({ type: 'timer', timer, ms });
  }

  // Heartbeat

  /** Starts to ping a document. */
  protected startHeartbeat(frame: number): Heartbeat {
    this.run({ type: 'timer', timer: `ping ${frame}`, ms: pingIntervalMs, every: true });
    return this.ping(frame, noHeartbeat);
  }

  /** Stops pinging while silence means nothing. */
  protected pauseHeartbeat(frame: number, heartbeat: Heartbeat): Heartbeat {
    this.setTimer(`ping ${frame}`, null);
    return { ...heartbeat, pingedAt: null };
  }

  /** Pings a document that has responded to the last ping, or else checks how long it is silent. */
  protected ping(frame: number, heartbeat: Heartbeat): Heartbeat {
    if (heartbeat.pingedAt === null) {
      // Browsers throttle timers of hidden pages, including the frame's.
      if (this.facts.isHidden) return heartbeat;
      this.run({ type: 'send', frame, message: { type: 'ping', count: 0 } });
      return { ...heartbeat, pingedAt: this.facts.now };
    }
    const isUnresponsive = this.silenceOf(heartbeat) >= limits.unresponsiveMs;
    return { ...heartbeat, isUnresponsive: heartbeat.isUnresponsive || isUnresponsive };
  }

  /** Milliseconds since the oldest unanswered ping; 0 if there is none. */
  protected silenceOf({ pingedAt }: Heartbeat): number {
    return pingedAt === null ? 0 : this.facts.now - pingedAt;
  }

  // HMR

  /** A document of this path has loaded, and the store knows the modules that it runs. */
  protected setHotPage(page: string): void {
    this.#setHot({ ...noHotState, page });
  }

  /** The page's modules are unknown from now on. */
  protected resetHot(): void {
    this.#setHot({ ...this.now.hot, page: null, invalid: new Set() });
  }

  /** Handles `invalidate()`. False if the module was already invalidated since the last edit. */
  protected invalidateModule(id: string): boolean {
    const { hot } = this.now;
    if (hot.invalidatedBefore.has(id)) return false;
    const add = (ids: ReadonlySet<string>) => new Set([...ids, id]);
    this.#setHot({
      ...hot,
      invalid: add(hot.invalid),
      invalidatedBefore: add(hot.invalidatedBefore),
    });
    return true;
  }

  /** Plans the update for a change; undefined if the page has to reload. */
  protected planHotUpdate({
    changed,
    removed,
    changedModules,
  }: FileDifference): UpdatePlan | undefined {
    const { page, isBroken, invalid } = this.now.hot;
    if (page === null || isBroken) return undefined;
    return planUpdate(
      { page, find: (path) => this.store.runningModule(path) },
      {
        paths: [...changed, ...removed],
        styles: changed.filter((path) => isStylePath(path) && !changedModules.includes(path)),
        invalid: [...invalid],
        isModuleChanged: (id) => this.store.isModuleChanged(id),
      },
    );
  }

  /** Records that an update is sent. */
  protected recordUpdate(sent: UpdatePlan): void {
    const { hot } = this.now;
    const isEdit = sent.reloaded.length > 0 && hot.invalid.size === 0;
    this.#setHot({
      ...hot,
      sentUpdates: [...hot.sentUpdates, ...sent.updates],
      invalid: new Set(),
      invalidatedBefore: isEdit ? new Set() : hot.invalidatedBefore,
    });
  }

  /** Records the outcome of an update; `isWhole` if no module threw. */
  protected completeUpdate(isWhole: boolean): void {
    const { hot } = this.now;
    const isKept =
      hot.sentUpdates.length > 0 &&
      hot.sentUpdates.every(
        ({ boundary }) => this.store.moduleInfo(boundary)?.hot?.isRefreshBoundary === true,
      );
    this.#setHot({ ...hot, sentUpdates: [], isBroken: hot.isBroken || (!isWhole && !isKept) });
  }

  // Both transports have these fields, but TypeScript can't know that of a subtype.
  #setHot(hot: HotState): void {
    this.#transport = { ...this.#transport, hot };
  }

  protected get hasInvalidated(): boolean {
    return this.now.hot.invalid.size > 0;
  }

  /** Lets one HMR update be applied at a time, until it is acknowledged or takes too long. */
  protected lockUpdates(version: number | null): void {
    this.#transport = { ...this.#transport, lockedVersion: version };
    this.setTimer('update', version === null ? null : updateTimeoutMs);
  }

  /** Ends the lock if this version holds it; returns whether it did. */
  protected unlockUpdates(version: number): boolean {
    if (this.now.lockedVersion !== version) return false;
    this.lockUpdates(null);
    return true;
  }

  /** Version query of each module id, after this step. */
  protected get versionQueries(): ReadonlyMap<string, number> {
    return this.#versionQueries ?? this.store.versionQueries;
  }

  /** The store's version after this step. */
  protected get version(): number {
    const { store } = this.facts;
    return this.#versionQueries ? store.versionWith(this.#versionQueries) : store.version;
  }

  /** Sets version queries of modules; the last call in a step counts. Returns the store's version afterwards. */
  protected setVersionQueries(queries: ReadonlyMap<string, number>): number {
    this.#effects = this.#effects.filter(({ type }) => type !== 'set-version-queries');
    this.#versionQueries = queries;
    this.run({ type: 'set-version-queries', queries });
    return this.version;
  }
}
