import { toTextFiles } from '@vitrine/project';
import {
  isActive,
  type Effect,
  type Event,
  type Facts,
  type State,
} from '../../src/host/machine.ts';
import { ModuleStore } from '../../src/host/module-store.ts';
import { createOriginState } from '../../src/host/origin-steps.ts';
import { passthroughOutput } from '../../src/host/project-compiler.ts';
import { createSrcdocState } from '../../src/host/srcdoc-steps.ts';
import { canReload, step } from '../../src/host/step.ts';
import type { DocumentSource, FromFrame, ToFrame } from '../../src/protocol.ts';

export const worldFiles = toTextFiles([
  [
    'index.html',
    '<link rel="stylesheet" href="style.css"><script type="module" src="app.js"></script>',
  ],
  ['style.css', 'p {}'],
  ['app.js', 'import "./part.js"'],
  ['part.js', 'import.meta.hot.accept()'],
  ['data.json', '{}'],
]);

interface SimulatedFrame {
  /** Version of the document's code; null for a boot page. */
  version: number | null;
  isHung: boolean;
  /** Messages that it reads once it responds again. */
  readonly unread: ToFrame[];
  /** Version of the page that the service worker can't serve yet. */
  requested: number | null;
}

/**
 * The world of a preview's state machine, without a browser: frames that answer some time, a clock,
 * timers and a service worker. Records what must never happen in `violations`.
 */
export class PreviewWorld {
  readonly store = new ModuleStore(worldFiles);
  readonly frames = new Map<number, SimulatedFrame>();
  readonly violations: string[] = [];
  /** Effects so far, with the time of each in milliseconds. */
  readonly log: { readonly at: number; readonly effect: Effect }[] = [];
  readonly #timers = new Map<string, { at: number; every: number | undefined }>();
  /** What is under way to the machine. */
  #pending: Event[] = [];
  #now = 0;
  #edits = 0;
  /** Version that the service worker holds. */
  #stored: number | null = null;
  /** Whether all initial files are compiled. */
  #isPrepared = false;
  readonly #run = 'r1';
  state: State;

  constructor(kind: 'isolated-origin' | 'srcdoc') {
    const transport =
      kind === 'isolated-origin' ? createOriginState(null) : createSrcdocState('index.html');
    this.state = { status: 'idle', failure: null, transport };
    this.#dispatch({ type: 'open' });
  }

  act(kind: string, choice: number): void {
    switch (kind) {
      case 'edit': {
        const paths = [...worldFiles.keys()];
        const path = paths[choice % paths.length] ?? '';
        return this.edit(path, `${worldFiles.get(path)?.text ?? ''} /* ${++this.#edits} */`);
      }
      case 'deliver':
        return this.#deliver(choice);
      case 'timer':
        return this.#fireTimer();
      case 'wait':
        this.#now += choice;
        return;
      case 'hang':
      case 'recover':
        for (const frame of this.frames.values()) frame.isHung = kind === 'hang';
        return this.#readAll();
      case 'reload':
        if (!isActive(this.state.status) || !canReload(this.state, this.#facts())) return;
        return this.#dispatch({ type: 'reload' });
      case 'open':
        return this.#dispatch({ type: 'open' });
      case 'stop':
        return this.#dispatch({ type: 'halt', status: 'stopped' });
      case 'navigate':
        return this.#dispatch({ type: 'navigate', address: '/index.html' });
      case 'evict':
        this.#stored = null;
        return;
    }
  }

  /** Lets everything that is under way arrive. */
  settle(): void {
    for (const frame of this.frames.values()) frame.isHung = false;
    this.#readAll();
    const wasActive = isActive(this.state.status);
    for (let steps = 0; steps < 2_000; steps += 1) {
      if (this.#pending.length > 0) this.#deliver(0);
      else if (this.#isSettled()) break;
      else this.#fireTimer();
    }
    if (!this.#isSettled()) this.violations.push('it never settles');
    if (wasActive && !isActive(this.state.status))
      this.violations.push(`it ends with ${this.state.failure}`);
  }

  get now(): number {
    return this.#now;
  }

  /** Version of the document that is shown; undefined if none is. */
  get shownVersion(): number | null | undefined {
    const { transport } = this.state;
    return transport.kind === 'srcdoc' ? transport.current?.version : transport.document.version;
  }

  #isSettled(): boolean {
    if (!isActive(this.state.status)) return true;
    return this.state.status === 'running' && this.shownVersion === this.store.version;
  }

  /** Edits a file, and lets the machine know. */
  edit(path: string, text: string): void {
    this.store.changeFiles({ changed: toTextFiles([[path, text]]), removed: [] });
    const imports = path === 'app.js' ? ['part.js'] : path === 'index.html' ? ['app.js'] : [];
    const hot = {
      isSelfAccepting: path === 'part.js',
      acceptedDeps: [],
      isRefreshBoundary: false,
    };
    this.store.commit(new Map([[path, { ...passthroughOutput, imports, hot }]]), []);
    this.#dispatch({ type: 'committed' });
  }

  /** Lets time pass, with everything that is under way arriving at once. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      while (this.#pending.length > 0) this.#deliver(0);
      const [next] = [...this.#timers.values()].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.#fireTimer();
    }
    this.#now = end;
  }

  #deliver(choice: number): void {
    const index = choice % Math.max(1, this.#pending.length);
    const event = this.#pending[index];
    // Messages of one frame arrive in order.
    const first = this.#pending.findIndex((each) => frameOf(each) === (event && frameOf(event)));
    const [next] = this.#pending.splice(first, 1);
    if (next?.type === 'prepared') this.#isPrepared = true;
    if (next) this.#dispatch(next);
  }

  #fireTimer(): void {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
    if (!next) return;
    const [timer, { at, every }] = next;
    this.#now = Math.max(this.#now, at);
    if (every === undefined) this.#timers.delete(timer);
    else this.#timers.set(timer, { at: this.#now + every, every });
    this.#dispatch({ type: 'timer', timer });
  }

  #dispatch(event: Event): void {
    const before = this.shownVersion;
    const [state, effects] = step(this.state, event, this.#facts());
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    const after = this.shownVersion;
    if (typeof before === 'number' && typeof after === 'number' && after < before)
      this.violations.push(
        `version ${after} is shown after ${before}, by ${JSON.stringify(event)}`,
      );
    if (!isActive(this.state.status) && this.frames.size > 0)
      this.violations.push(`a frame is left with the status ${this.state.status}`);
  }

  #facts(): Facts {
    return {
      config: {
        origin: 'https://preview.test',
        run: this.#run,
        isEditable: true,
        servedRevision: null,
        entry: null,
      },
      now: this.#now,
      store: this.store,
      isHidden: false,
      isOnline: true,
      needsAccess: false,
      awaitsHello: false,
      isPrepared: this.#isPrepared,
      hasScriptFailure: false,
      runWithTools: this.#run,
      prerenderedUrl: null,
    };
  }

  #perform(effect: Effect): void {
    this.log.push({ at: this.#now, effect });
    switch (effect.type) {
      case 'open-frame':
        this.frames.set(effect.frame, {
          version: null,
          isHung: false,
          unread: [],
          requested: null,
        });
        return this.#sayHello(
          effect.frame,
          effect.origin === 'null' ? { kind: 'portable' } : { kind: 'boot' },
        );
      case 'remove-frame':
        this.frames.delete(effect.frame);
        this.#pending = this.#pending.filter((event) => frameOf(event) !== effect.frame);
        return;
      case 'prepare':
        this.#pending.push({ type: 'prepared' });
        return;
      case 'await-removal':
        this.#pending.push({ type: 'frames-gone', opening: effect.opening });
        return;
      case 'send':
        return this.#receive(effect.frame, effect.message);
      case 'send-update':
        return this.#receive(effect.frame, {
          type: 'hot',
          version: this.store.version,
          updates: [],
          pruned: [],
          unlessUsed: [],
          files: [],
          styles: [],
        });
      case 'store': {
        const isKnown = effect.base === null || effect.base === this.#stored;
        if (isKnown) this.#store(effect.version);
        if (effect.version !== this.store.version)
          this.violations.push(`stored as ${effect.version} instead of ${this.store.version}`);
        const response = isKnown
          ? ({ type: 'stored', version: effect.version } as const)
          : ({ type: 'base-unknown' } as const);
        this.#pending.push({ type: 'stored', message: effect.message, response });
        return;
      }
      case 'set-version-queries':
        return this.store.setVersionQueries(effect.queries);
      case 'mark-running':
        return this.store.markRunning();
      case 'timer':
        if (effect.ms === null) this.#timers.delete(effect.timer);
        else
          this.#timers.set(effect.timer, {
            at: this.#now + effect.ms,
            every: effect.every ? effect.ms : undefined,
          });
        return;
      default:
        return;
    }
  }

  #store(version: number): void {
    this.#stored = version;
    for (const [number, frame] of this.frames) this.#serve(number, frame);
  }

  /** Loads the requested page as soon as the service worker has its version. */
  #serve(number: number, frame: SimulatedFrame): void {
    const { requested } = frame;
    if (requested === null || this.#stored === null || this.#stored < requested) return;
    frame.requested = null;
    frame.version = this.#stored;
    this.#sayHello(number, { kind: 'run', run: this.#run, version: this.#stored });
    this.#pending.push({ type: 'message', frame: number, message: { type: 'painted' } });
  }

  #readAll(): void {
    for (const [number, frame] of this.frames)
      if (!frame.isHung)
        for (const message of frame.unread.splice(0)) this.#receive(number, message);
  }

  #sayHello(frame: number, shown: DocumentSource): void {
    this.#pending.push({
      type: 'hello',
      frame,
      // The 404 page has the path of the requested URL.
      hello: {
        vitrine: 'hello',
        protocol: 1,
        shown,
        path: shown.kind === 'absent' ? '/' : 'index.html',
      },
    });
  }

  #receive(number: number, message: ToFrame): void {
    const frame = this.frames.get(number);
    if (!frame) {
      this.violations.push(`${message.type} is sent to a frame that is gone`);
      return;
    }
    if (frame.isHung) {
      frame.unread.push(message);
      return;
    }
    const reply = (answer: FromFrame) =>
      this.#pending.push({ type: 'message', frame: number, message: answer });
    switch (message.type) {
      case 'ping':
        reply({ type: 'pong', count: message.count });
        return;
      case 'show':
        reply({ type: 'leaving' });
        frame.requested = message.version;
        // The server has no page of this run.
        if (this.#stored === null) return this.#sayHello(number, { kind: 'absent' });
        return this.#serve(number, frame);
      case 'write':
        if (frame.version !== null) this.violations.push('a frame is sent the project twice');
        frame.version = this.store.version;
        reply({ type: 'painted' });
        return;
      case 'style':
      case 'document':
      case 'hot':
        frame.version = message.version;
        reply({ type: 'applied', version: message.version, outcome: 'done' });
        return;
      default:
        return;
    }
  }
}

function frameOf(event: Event): number | undefined {
  return 'frame' in event ? event.frame : undefined;
}
