import { findErrorCode, isUnreachable } from '@vitrine/project';
import { removePrerendered, type PrerenderedFrame } from '../prerendered-frame.ts';
import { parseStoreResponse, type FromFrame, type ToFrame } from '../protocol.ts';
import { openFrameConnection, type FrameConnection } from './frame-connection.ts';
import { createHotMessage } from './hot-updates.ts';
import type { AccessResult, Config, Effect, Event, Facts, State } from './machine.ts';
import type { PermissionName } from '../permissions.ts';
import type { ModuleStore } from './module-store.ts';
import { createOriginState } from './origin-steps.ts';
import type { AddressMessage } from '../address-messages.ts';
import { createSrcdocState } from './srcdoc-steps.ts';
import { canReload, step } from './step.ts';

export interface PreviewRunnerOptions {
  readonly element: HTMLElement;
  readonly title: string;
  readonly config: Config;
  readonly transport: 'isolated-origin' | 'srcdoc';
  readonly startsStopped: boolean;
  readonly store: ModuleStore;
  readonly prerendered: PrerenderedFrame | undefined;
  /** Permissions that the user has allowed at first. */
  readonly permissions: ReadonlySet<PermissionName>;
  /** Requests a URL that grants access to a private project. */
  readonly requestAccess: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** The facts that aren't known here. */
  facts(): Pick<Facts, 'isPrepared' | 'hasScriptFailure' | 'needsAccess' | 'runWithTools'>;
  /** Compiles the initial files. */
  prepare(): Promise<void>;
  /** Page that a srcdoc preview opens with. */
  entry(): string;
  onStatus(state: State): void;
  onMessage(message: FromFrame): void;
  onBeginDocument(): void;
  onBeginUpdate(): void;
  onPage(path: string | null): void;
  onAddress(address: Omit<AddressMessage, 'type'>): void;
  onLimitations(line: string | null): void;
}

/** Runs the state machine of a preview: passes it events, and runs its effects. */
export class PreviewRunner {
  readonly #options: PreviewRunnerOptions;
  #state: State;
  readonly #events: Event[] = [];
  #isRunning = false;
  readonly #frames = new Map<number, FrameConnection>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #prerendered: PrerenderedFrame | undefined;
  /** Permissions of frames that open from now on. */
  permissions: ReadonlySet<PermissionName>;
  /** Aborts the request for access that is under way. */
  #access: AbortController | undefined;
  #removal: Promise<unknown> = Promise.resolve();

  constructor(options: PreviewRunnerOptions) {
    const { transport, startsStopped, config, prerendered } = options;
    this.#options = options;
    this.#prerendered = prerendered;
    this.permissions = options.permissions;
    this.#state = {
      status: startsStopped ? 'stopped' : 'idle',
      failure: null,
      transport:
        transport === 'isolated-origin'
          ? createOriginState(config.entry)
          : createSrcdocState(options.entry()),
    };
  }

  get state(): State {
    return this.#state;
  }

  /** Whether a page is shown that can be reloaded, rather than run from the start. */
  get canReload(): boolean {
    return canReload(this.#state, this.#facts());
  }

  /** Resolves when all removed frames are gone. */
  get removal(): Promise<unknown> {
    return this.#removal;
  }

  /** Handles an event, after those that are being handled. */
  dispatch(event: Event): void {
    this.#events.push(event);
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) this.#handle(next);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Posts a message to the newest document; dropped while there is none. */
  send(message: ToFrame, ports: MessagePort[] = []): void {
    const { transport } = this.#state;
    const frame =
      transport.kind === 'srcdoc'
        ? (transport.next ?? transport.current)?.frame
        : transport.opening;
    if (frame !== undefined) this.#frames.get(frame)?.send(message, ports);
  }

  /** Removes the frame and the files stored for it. */
  dispose(): void {
    const { transport } = this.#state;
    const { run } = this.#options.config;
    // Posted before the frame is removed. If it gets lost, newer runs evict this one.
    if (transport.kind === 'isolated-origin' && transport.stored.sent !== null)
      this.send({ type: 'relay', message: { type: 'forget', run } });
    this.dispatch({ type: 'halt', status: 'stopped' });
  }

  #handle(event: Event): void {
    const before = this.#state;
    const [state, effects] = step(before, event, this.#facts());
    this.#state = state;
    if (state.status !== before.status || state.status === 'failed') this.#options.onStatus(state);
    for (const effect of effects) this.#run(effect);
  }

  #facts(): Facts {
    const { transport } = this.#state;
    const frame = transport.kind === 'srcdoc' ? undefined : this.#frames.get(transport.opening);
    const prerendered = this.#prerendered?.element;
    return {
      config: this.#options.config,
      store: this.#options.store,
      now: performance.now(),
      isHidden: document.hidden,
      isOnline: navigator.onLine,
      awaitsHello: frame?.awaitsHello ?? false,
      prerenderedUrl: prerendered?.isConnected === true ? prerendered.src : null,
      ...this.#options.facts(),
    };
  }

  #run(effect: Effect): void {
    const { store } = this.#options;
    switch (effect.type) {
      case 'open-frame':
        return this.#openFrame(effect);
      case 'show-frame': {
        const shown = this.#frames.get(effect.frame);
        if (shown) shown.element.style.opacity = '';
        return;
      }
      case 'remove-frame':
        return this.#removeFrame(effect);
      case 'await-removal':
        return void this.#awaitRemoval(effect.opening);
      case 'discard-prerendered':
        if (this.#prerendered) removePrerendered(this.#prerendered);
        this.#prerendered = undefined;
        return;
      case 'request-access':
        return void this.#requestAccess(effect.opening);
      case 'send':
        return this.#frames.get(effect.frame)?.send(effect.message);
      case 'store':
        return this.#store(effect);
      case 'send-update':
        return this.#frames.get(effect.frame)?.send(createHotMessage(effect, store));
      case 'prepare':
        return void this.#options.prepare().then(() => this.dispatch({ type: 'prepared' }));
      case 'set-version-queries':
        return store.setVersionQueries(effect.queries);
      case 'mark-running':
        return store.markRunning();
      case 'begin-document':
        return this.#options.onBeginDocument();
      case 'begin-update':
        return this.#options.onBeginUpdate();
      case 'set-page':
        return this.#options.onPage(effect.path);
      case 'set-address':
        return this.#options.onAddress(effect.address);
      case 'set-limitations':
        return this.#options.onLimitations(effect.line);
      case 'forward':
        return this.#options.onMessage(effect.message);
      case 'fall-back':
        this.#state = { ...this.#state, transport: createSrcdocState(this.#options.entry()) };
        return this.dispatch({ type: 'open' });
      case 'timer':
        return this.#setTimer(effect);
    }
  }

  #openFrame({
    frame,
    url,
    origin,
    isPrerendered,
    isHidden,
  }: Extract<Effect, { type: 'open-frame' }>): void {
    const prerendered = isPrerendered ? this.#prerendered : undefined;
    if (isPrerendered) this.#prerendered = undefined;
    const connection = openFrameConnection(this.#options.element, {
      title: this.#options.title,
      url,
      origin,
      allowed: this.permissions,
      ...(prerendered && { prerendered }),
      onHello: (hello) => this.dispatch({ type: 'hello', frame, hello }),
      onMessage: (message) => this.dispatch({ type: 'message', frame, message }),
      onReloaded: () => this.dispatch({ type: 'reloaded', frame }),
      onNavigatedAway: () => this.dispatch({ type: 'navigated-away', frame }),
    });
    if (isHidden) connection.element.style.opacity = '0';
    this.#frames.set(frame, connection);
  }

  #removeFrame({ frame, isAnnounced }: Extract<Effect, { type: 'remove-frame' }>): void {
    const removed = this.#frames.get(frame)?.close(isAnnounced);
    this.#frames.delete(frame);
    this.#removal = Promise.all([this.#removal, removed]);
  }

  async #awaitRemoval(opening: number): Promise<void> {
    this.#access?.abort();
    await this.#removal;
    this.dispatch({ type: 'frames-gone', opening });
  }

  async #requestAccess(opening: number): Promise<void> {
    const { requestAccess } = this.#options;
    const access = (this.#access = new AbortController());
    const result = await requestAccess?.(access.signal).then(
      (url): AccessResult => (URL.canParse(url) ? { url } : 'refused'),
      (error: unknown) => (isUnreachable(findErrorCode(error)) ? 'unreachable' : 'refused'),
    );
    this.dispatch({ type: 'access', opening, result: result ?? 'refused' });
  }

  #store({ frame, base, version, message }: Extract<Effect, { type: 'store' }>): void {
    const { store, config } = this.#options;
    const { changed, removed } =
      base === null ? { changed: [...store.paths], removed: [] } : store.unsentSince(base);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      port1.close();
      const response = parseStoreResponse(data);
      if (response) this.dispatch({ type: 'stored', message, response });
    };
    const files = store.pack(changed);
    const { run } = config;
    this.#frames
      .get(frame)
      ?.send({ type: 'relay', message: { type: 'store', run, base, version, files, removed } }, [
        port2,
      ]);
  }

  #setTimer({ timer, ms, every }: Extract<Effect, { type: 'timer' }>): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
    if (ms === null) return;
    const set = every ? setInterval : setTimeout;
    this.#timers.set(
      timer,
      set(() => this.dispatch({ type: 'timer', timer }), ms),
    );
  }
}
