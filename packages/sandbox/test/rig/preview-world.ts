import { isScriptPath } from '@vitrine/compiler';
import { toTextFiles } from '@vitrine/project';
import { createHotMessage } from '../../src/host/hot-updates.ts';
import {
  isActive,
  type Effect,
  type Event,
  type Facts,
  type State,
} from '../../src/host/machine.ts';
import { ModuleStore } from '../../src/host/module-store.ts';
import { createOriginState } from '../../src/host/origin-steps.ts';
import { passthroughOutput, type CompileOutput } from '../../src/host/project-compiler.ts';
import { createSrcdocState } from '../../src/host/srcdoc-steps.ts';
import { canReload, step } from '../../src/host/step.ts';
import { SimulatedClock } from './simulated-clock.ts';
import {
  editNumberOf,
  filesOfPage,
  SimulatedBrowser,
  type PageHabit,
} from './simulated-browser.ts';

const worldFiles = toTextFiles([
  [
    'index.html',
    '<link rel="stylesheet" href="style.css"><script type="module" src="app.js"></script>',
  ],
  ['about.html', '<link rel="stylesheet" href="style.css"><h1>About</h1>'],
  ['style.css', 'p {}'],
  ['app.js', 'import "./part.js";'],
  ['part.js', 'import "./leaf.js"; import.meta.hot.accept();'],
  ['leaf.js', 'export {};'],
  ['data.json', '{}'],
]);

const importsOf: Readonly<Record<string, string>> = {
  'index.html': 'app.js',
  'app.js': 'part.js',
  'part.js': 'leaf.js',
};

export interface WorldOptions {
  readonly kind: 'isolated-origin' | 'srcdoc';
  /** Page that the preview opens with; defaults to `index.html`. */
  readonly page?: string | undefined;
  /** The server has the initial files, in this revision; null for a draft. */
  readonly revision?: number | null;
  /** Milliseconds that each message takes, in turn; 1 by default. */
  readonly delays?: readonly number[];
  readonly habit?: PageHabit;
  /** The project is private, and the server answers requests for access with this. */
  readonly access?: 'granted' | 'refused' | 'unreachable' | undefined;
}

interface Edit {
  readonly path: string;
  readonly number: number;
  readonly at: number;
}

/**
 * The world of a preview's state machine: the files, a user, and a browser with its pages. It knows which edits each
 * page really runs, whatever the machine believes, and records what must never happen in `violations`.
 */
export class PreviewWorld {
  readonly store = new ModuleStore(worldFiles);
  readonly clock: SimulatedClock;
  readonly browser: SimulatedBrowser;
  readonly violations: string[] = [];
  /** Effects so far, with the time of each in milliseconds. */
  readonly log: { readonly at: number; readonly effect: Effect }[] = [];
  /** Longest time that an edit of the page shown took to show so far, in milliseconds. */
  longestWait = 0;
  readonly #options: WorldOptions;
  readonly #run = 'r1';
  /** Page that the user has gone to last. */
  #page: string;
  #edits = 0;
  /** Number of pages and frames that took longer to load than the machine waits. */
  #slowLoads = 0;
  /** Edits with code that never returns. */
  readonly #loops = new Set<number>();
  /** Number of actions so far that may run code. */
  #causes = 0;
  /** `#causes` with each edit. */
  readonly #editCauses = new Map<number, number>();
  /** How often code that never returns ran, by the edits of its files. */
  readonly #loopRuns = new Map<string, number>();
  /** The page doesn't respond, and nothing was done since that replaces it for certain. */
  #isStuck = false;
  /** Edits of files that the page uses, and that it doesn't show yet. */
  #unshown: Edit[] = [];
  /** All initial files are compiled. */
  #isPrepared = false;
  /** Files were deleted, or a page opened that the machine didn't request in a version. */
  #mayShowOlder = false;
  /** The machine has requested a page that must show before it says that the preview is running. */
  #awaitsPage = false;
  state: State;

  constructor(options: WorldOptions) {
    const { kind, page, delays, revision, habit } = options;
    this.#options = options;
    this.#page = page ?? 'index.html';
    this.clock = new SimulatedClock(delays);
    this.browser = new SimulatedBrowser({
      clock: this.clock,
      run: this.#run,
      revision: revision ?? null,
      habit: habit ?? 'prompt',
      dispatch: (event) => this.#dispatch(event),
      onViolation: (line) => this.violations.push(line),
      isLoop: (edit) => this.#loops.has(edit),
      onLoop: (edits) => {
        const key = edits.join();
        const count = (this.#loopRuns.get(key) ?? 0) + 1;
        this.#loopRuns.set(key, count);
        // Once for its last edit, and for each action since then.
        const since = this.#editCauses.get(Math.max(...edits)) ?? 0;
        if (count > 1 + this.#causes - since)
          this.violations.push('code that never returns runs again for nothing');
      },
    });
    const transport =
      kind === 'isolated-origin'
        ? createOriginState(page ?? null)
        : createSrcdocState(page ?? 'index.html');
    this.state = { status: 'idle', failure: null, transport };
    this.#dispatch({ type: 'open' });
  }

  /** Lets a user, page or network do something; `choice` chooses among what is possible. */
  act(kind: string, choice: number): void {
    if (!['deliver', 'timer', 'wait', 'pass', 'settle', 'log'].includes(kind)) this.#causes += 1;
    if (['open', 'stop'].includes(kind)) this.#isStuck = false;
    switch (kind) {
      case 'edit':
        return this.edit([...worldFiles.keys()][choice % worldFiles.size] ?? '');
      case 'loop':
        this.#loops.add(this.#edits + 1);
        return this.edit(['app.js', 'part.js', 'leaf.js'][choice % 3] ?? '');
      case 'deliver':
        return this.clock.deliver(choice);
      case 'timer':
        if (this.clock.fireNextTimer()?.startsWith('hello') === true) this.#slowLoads += 1;
        return;
      case 'wait':
        return this.clock.advance(choice);
      case 'pass':
        this.clock.now += choice;
        return;
      case 'reload':
        if (!isActive(this.state.status) || !canReload(this.state, this.#facts())) return;
        return this.#dispatch({ type: 'reload' });
      case 'open':
        return this.#dispatch({ type: 'open' });
      case 'stop':
        return this.#dispatch({ type: 'halt', status: 'stopped' });
      case 'navigate':
        this.#mayShowOlder = true;
        // A page whose silence isn't known yet is asked to navigate, and stays.
        this.#isStuck = this.#visible?.isLooping === true || this.#findsLoop();
        this.#page = choice % 2 === 0 ? 'index.html' : 'about.html';
        this.#dispatch({ type: 'navigate', address: `/${this.#page}` });
        // As mount.ts does.
        if (!isActive(this.state.status) || this.state.status === 'unresponsive')
          this.#dispatch({ type: 'open' });
        // An edit that reloads the page at the same moment would supersede the navigation.
        return this.clock.advance(1_000);
      case 'settle':
        return this.settle();
      case 'loop-itself':
        this.browser.act(kind, choice);
        this.#isStuck = true;
        // Until its silence is known, an update of the page may be the cause.
        return this.clock.advance(300);
      case 'hang':
        this.browser.act(kind, choice);
        return this.clock.advance(3 * choice);
      case 'evict':
        this.#mayShowOlder = true;
        return this.browser.act(kind, choice);
      case 'reload-itself':
        this.#mayShowOlder = true;
        this.browser.act(kind, choice);
        // A navigation that is requested before the unload is announced is lost with the page.
        return this.clock.advance(1);
      default:
        return this.browser.act(kind, choice);
    }
  }

  /** Edits a file, and lets the machine know. The text is kept, with the number of the edit added. */
  edit(path: string, text = worldFiles.get(path)?.text ?? ''): void {
    this.#edits += 1;
    this.#editCauses.set(this.#edits, this.#causes);
    const numbered = path.endsWith('.html')
      ? `${text}<!-- ${this.#edits} -->`
      : `${text} /* ${this.#edits} */`;
    // A stylesheet can't fix a loop.
    if (path !== 'style.css') this.#isStuck = false;
    if (filesOfPage(this.#page).includes(path))
      this.#unshown.push({ path, number: this.#edits, at: this.clock.now });
    this.store.changeFiles({ changed: toTextFiles([[path, numbered]]), removed: [] });
    this.store.commit(new Map([[path, compile(path)]]), []);
    this.#dispatch({ type: 'committed' });
  }

  /** Lets everything that is under way arrive, and checks what shows then. */
  settle(): void {
    this.act('recover', 0);
    const wasActive = isActive(this.state.status);
    this.clock.advance(60_000);
    const { status, failure } = this.state;
    if (wasActive && !isActive(status) && !this.#isExpected(failure))
      this.violations.push(`it ends with ${failure}`);
    if (!isActive(status)) return;
    const isStuck = this.#isStuck && this.#visible?.isLooping === true;
    const expected = isStuck || this.#findsLoop() ? 'unresponsive' : 'running';
    if (status !== expected) this.violations.push(`it stays ${status} instead of ${expected}`);
    if (expected === 'unresponsive') return;
    const shown = this.#visible;
    if (shown?.path !== this.#page)
      this.violations.push(`it shows ${shown?.path} instead of ${this.#page}`);
    if (shown?.isInvalidated === true) this.violations.push('an invalidated page stays');
    if (shown?.isBroken === true) return;
    for (const path of this.#listOutdated()) this.violations.push(`${path} is outdated in the end`);
  }

  /** Whether a failure is what a user should see. */
  #isExpected(failure: State['failure']): boolean {
    const { kind, access } = this.#options;
    if (failure === 'not-allowed') return access === 'refused';
    // One page or frame that doesn't load is opened again on an isolated origin.
    const limit = kind === 'srcdoc' ? 1 : 2;
    const failed = this.browser.lossCount + this.#slowLoads;
    return failure === 'timeout' && (access === 'unreachable' || failed >= limit);
  }

  /** Whether the newest code of the page never returns. */
  #findsLoop(): boolean {
    return filesOfPage(this.#page).some(
      (path) => path.endsWith('.js') && this.#loops.has(editNumberOf(this.store.read(path) ?? '')),
    );
  }

  /** Document that the user sees; undefined if there is none. */
  get #visible() {
    const { transport } = this.state;
    const frame = transport.kind === 'srcdoc' ? transport.current?.frame : transport.opening;
    return frame === undefined ? undefined : this.browser.documentOf(frame);
  }

  /** Files of the page that it shows in an earlier version than the last edit's. */
  #listOutdated(): string[] {
    const shown = this.#visible;
    if (!shown?.path) return ['the page'];
    return filesOfPage(shown.path).filter(
      (path) => shown.edits.get(path) !== editNumberOf(this.store.read(path) ?? ''),
    );
  }

  #recordShown(): void {
    const shown = this.#visible;
    if (shown?.path == null || this.#unshown.length === 0) return;
    this.#unshown = this.#unshown.filter(({ path, number, at }) => {
      const isShown = (shown.edits.get(path) ?? 0) >= number;
      if (isShown) this.longestWait = Math.max(this.longestWait, this.clock.now - at);
      return !isShown;
    });
  }

  /** Version that the machine believes is shown; undefined if none is. */
  get #believedVersion(): number | null | undefined {
    const { transport } = this.state;
    return transport.kind === 'srcdoc' ? transport.current?.version : transport.document.version;
  }

  #dispatch(event: Event): void {
    const before = this.#believedVersion;
    const { status } = this.state;
    const newest = this.#newestFrame;
    const isCurrent =
      status === 'running' && before === this.store.version && this.#listOutdated().length === 0;
    const [state, effects] = step(this.state, event, this.#facts());
    this.state = state;
    for (const effect of effects) this.#perform(effect, event, newest);
    const after = this.#believedVersion;
    const isOlder = typeof before === 'number' && typeof after === 'number' && after < before;
    if (isOlder && !this.#mayShowOlder)
      this.violations.push(
        `version ${after} is shown after ${before}, by ${JSON.stringify(event)}`,
      );
    const isPong = event.type === 'message' && event.message.type === 'pong';
    if (this.#awaitsPage && status !== 'running' && state.status === 'running' && !isPong)
      this.violations.push(`it runs before the page shows, by ${JSON.stringify(event)}`);
    if (isCurrent && event.type === 'timer' && effects.some(opensPage))
      this.violations.push(`the page is replaced for nothing by ${event.timer}`);
    if (isLog(event) && event.frame === newest && !effects.some(isForwarded) && isActive(status))
      this.violations.push('what the page logs is lost');
    const count = this.#countFrames();
    if (this.browser.frameCount !== count)
      this.violations.push(`${this.browser.frameCount} frames are open instead of ${count}`);
    this.#recordShown();
  }

  get #newestFrame(): number | undefined {
    const { transport } = this.state;
    return transport.kind === 'srcdoc'
      ? (transport.next ?? transport.current)?.frame
      : transport.opening;
  }

  #countFrames(): number {
    const { transport, status } = this.state;
    if (!isActive(status)) return 0;
    if (transport.kind === 'isolated-origin') return transport.frame === 'open' ? 1 : 0;
    return [transport.current, transport.next].filter((frame) => frame !== null).length;
  }

  #facts(): Facts {
    const { transport } = this.state;
    return {
      config: {
        origin: 'https://preview.test',
        run: this.#run,
        isEditable: true,
        servedRevision: this.#options.revision ?? null,
        entry: this.#options.page ?? null,
      },
      now: this.clock.now,
      store: this.store,
      isHidden: false,
      isOnline: true,
      needsAccess: this.#options.access !== undefined,
      awaitsHello: this.browser.awaitsHello(transport.opening),
      isPrepared: this.#isPrepared,
      hasScriptFailure: false,
      runWithTools: this.#run,
      prerenderedUrl: null,
    };
  }

  #prepare(): void {
    for (const path of worldFiles.keys())
      if (this.store.moduleInfo(path) === undefined) this.store.setOutput(path, compile(path));
    this.#isPrepared = true;
    this.#dispatch({ type: 'committed' });
    this.#dispatch({ type: 'prepared' });
  }

  #perform(effect: Effect, cause: Event, newest: number | undefined): void {
    this.log.push({ at: this.clock.now, effect });
    switch (effect.type) {
      case 'open-frame':
        this.#awaitsPage = true;
        return this.browser.openFrame(effect.frame, effect.url, effect.origin);
      case 'remove-frame':
        return this.browser.removeFrame(effect.frame);
      case 'show-frame':
        this.#awaitsPage = false;
        return;
      case 'begin-document':
        if (this.#options.kind === 'isolated-origin') this.#awaitsPage = false;
        return;
      case 'prepare':
        return this.clock.post('host', () => this.#prepare());
      case 'await-removal':
        return this.clock.post('host', () =>
          this.#dispatch({ type: 'frames-gone', opening: effect.opening }),
        );
      case 'request-access':
        return this.clock.post('host', () => this.#grantAccess(effect.opening));
      case 'send': {
        const { message } = effect;
        if (message.type === 'show' && message.unlessUnused === null) this.#awaitsPage = true;
        return this.browser.send(effect.frame, message);
      }
      case 'send-update':
        return this.browser.send(effect.frame, createHotMessage(effect, this.store));
      case 'store':
        return this.#sendFiles(effect);
      case 'forward':
        if (cause.type !== 'message' || cause.frame !== newest)
          this.violations.push('a message of an outdated page is forwarded');
        return;
      case 'set-version-queries':
        return this.store.setVersionQueries(effect.queries);
      case 'mark-running':
        return this.store.markRunning();
      case 'timer': {
        const { timer, ms, every } = effect;
        return this.clock.setTimer(
          timer,
          ms,
          () => this.#dispatch({ type: 'timer', timer }),
          every,
        );
      }
      default:
        return;
    }
  }

  #grantAccess(opening: number): void {
    const { access } = this.#options;
    const url = 'https://preview.test/__vitrine/access';
    const result = access === 'refused' || access === 'unreachable' ? access : { url };
    this.#dispatch({ type: 'access', opening, result });
  }

  #sendFiles({ frame, base, version, message }: Extract<Effect, { type: 'store' }>): void {
    const { store } = this;
    if (version !== store.version)
      this.violations.push(`stored as ${version} instead of ${store.version}`);
    const { changed, removed } =
      base === null ? { changed: [...store.paths], removed: [] } : store.unsentSince(base);
    const files = store.pack(changed);
    this.browser.send(
      frame,
      {
        type: 'relay',
        message: { type: 'store', run: this.#run, base, version, files, removed },
      },
      (response) => this.#dispatch({ type: 'stored', message, response }),
    );
  }
}

function opensPage(effect: Effect): boolean {
  if (effect.type !== 'send') return effect.type === 'open-frame';
  return effect.message.type === 'show' && effect.message.unlessUnused === null;
}

function isLog(event: Event): event is Extract<Event, { type: 'message' }> {
  return event.type === 'message' && event.message.type === 'dropped';
}

function isForwarded({ type }: Effect): boolean {
  return type === 'forward';
}

function compile(path: string): CompileOutput {
  const imported = importsOf[path];
  const hot = isScriptPath(path)
    ? { isSelfAccepting: path === 'part.js', acceptedDeps: [], isRefreshBoundary: false }
    : undefined;
  return { ...passthroughOutput, imports: imported === undefined ? [] : [imported], hot };
}
