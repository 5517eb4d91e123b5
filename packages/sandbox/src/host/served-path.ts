/**
 * The served path: a page at an address of its own. A saved project opens with the server's page,
 * and the service worker installs behind it; a draft opens with a small page that hands the files
 * to the service worker first. From the first edit on the service worker answers.
 *
 * What is shown, what the service worker holds and what the sources say each have a version;
 * `deliver` brings the first up to the last by the gentlest means that is faithful.
 */
import { extension } from '@vitrine/project';
import { parseStoreAnswer, runParameter, type FromFrame, type Hello, type StoreAnswer } from '../protocol.ts';
import { openFrame, type Frame } from './frame.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { Difference } from './sources.ts';
import type { Path, Stage } from './stage.ts';

/** A page that has not answered for this long when its code changes is thrown away for a new one. */
const patienceMs = 400;
/** A new document that has not said hello by then is not coming. */
const helloWithinMs = 10_000;

export function createServedPath(stage: Stage, origin: string): Path {
  const { options, sources } = stage;
  const run = randomRun();
  const entry = options.entry ?? 'index.html';
  const heartbeat = createHeartbeat({
    ask: () => frame?.send({ type: 'ping', count: 0 }),
    onStalled: () => stage.setState('stalled'),
    onBack: () => stage.setState('running'),
  });

  let frame: Frame | undefined;
  /** Ends whatever waits for an answer by way of the frame. */
  let frameGone = new AbortController();
  /** Version of the document in the frame; null for one that is not the project's, or not as sent. */
  let shown: number | null = null;
  /** Path of the document in the frame; null for our own pages. */
  let shownPath: string | null = null;
  /** What the service worker holds; null when nothing, or unknown. */
  let stored: number | null = null;
  let storing: Promise<void> | undefined;
  /** Between the decision to load a page and its hello. */
  let loading = false;
  let enteredAt = 0;
  let helloTimer: ReturnType<typeof setTimeout> | undefined;
  let recoveryTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    open: () => void open(),
    deliver,
    close: () => void close(),
  };

  async function open(): Promise<void> {
    const gone = close();
    const { signal } = frameGone;
    loading = true;
    shown = null;
    await gone;
    if (signal.aborted) return;
    const isSaved = options.served !== null && sources.version === 0;
    const address = isSaved ? addressOf(entry) : `${origin}/__vitrine/boot?${runParameter}=${run}`;
    if (!options.enter || !isSaved) return openAt(address);
    const entered = await tryEnter(options.enter, signal);
    if (!signal.aborted && entered) openAt(entered);
  }

  async function tryEnter(
    enter: (signal: AbortSignal) => Promise<string>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    enteredAt = performance.now();
    try {
      const address = new URL(await enter(signal));
      address.searchParams.set(runParameter, run);
      address.searchParams.set('path', new URL(addressOf(entry)).pathname);
      return address.href;
    } catch (error) {
      if (signal.aborted) return undefined;
      stage.fail('not-allowed');
      throw error;
    }
  }

  function openAt(address: string): void {
    frame = openFrame(options.element, {
      title: options.title,
      address,
      origin,
      onHello,
      onMessage,
      onStranger: () => stage.fail('left'),
    });
    expectHello();
  }

  function close(): Promise<void> | undefined {
    frameGone.abort();
    frameGone = new AbortController();
    clearTimeout(helloTimer);
    clearTimeout(recoveryTimer);
    heartbeat.close();
    const gone = frame?.close();
    frame = undefined;
    storing = undefined;
    loading = false;
    return gone;
  }

  function addressOf(path: string): string {
    const address = new URL(origin);
    address.pathname = path.replace(/(^|\/)index\.html$/, '$1');
    address.searchParams.set(runParameter, run);
    return address.href;
  }

  function expectHello(): void {
    clearTimeout(helloTimer);
    helloTimer = setTimeout(() => stage.fail('no-answer'), helloWithinMs);
  }

  function onHello(hello: Hello): void {
    clearTimeout(helloTimer);
    loading = false;
    heartbeat.start();
    const before = shown;
    shown = findShownVersion(hello);
    shownPath = hello.shown.kind === 'saved' || hello.shown.kind === 'run' ? hello.path : null;
    if (hello.shown.kind === 'absent' && !recoverAbsent()) return;
    if (before !== null || shown !== null) stage.beginDocument();
    if (shown !== null && hello.shown.kind === 'saved') frame?.send({ type: 'install' });
    deliver();
  }

  /** A document of another run, or of a revision that is not ours, is not at any version of ours. */
  function findShownVersion({ shown: said }: Hello): number | null {
    if (said.kind === 'run') return said.run === run ? said.version : null;
    if (said.kind === 'saved') return said.revision === options.served?.revision ? 0 : null;
    return null;
  }

  /** Our page for "not there" can mean that we were not let in, or that nobody has the files. */
  function recoverAbsent(): boolean {
    if (options.enter && performance.now() - enteredAt > 5_000) {
      void open();
      return false;
    }
    if (sources.read(entry) === undefined) {
      stage.fail('absent');
      return false;
    }
    return true;
  }

  function onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        heartbeat.heard();
        break;
      case 'leaving':
        heartbeat.pause();
        loading = true;
        expectHello();
        break;
      case 'dialog':
        if (message.open) heartbeat.pause();
        else heartbeat.start();
        break;
      case 'painted':
        if (isCurrent()) stage.setState('running');
        break;
      case 'applied':
        onApplied(message.version, message.outcome);
        break;
      case 'refused':
        stage.fallBack();
        break;
      default:
        stage.hear(message);
    }
  }

  function isCurrent(): boolean {
    return shown === sources.version && !loading;
  }

  function deliver(): void {
    if (!frame || isCurrent()) return;
    armRecovery();
    if (loading) return;
    const difference = shown === null ? null : sources.since(shown);
    if (difference && isStyleOnly(difference)) applyStyles(difference);
    else void reload(difference);
  }

  function applyStyles({ changed }: Difference): void {
    shown = sources.version;
    for (const path of changed)
      frame?.send({ type: 'style', path, text: sources.read(path) ?? '', version: shown });
    void store();
  }

  function onApplied(version: number, outcome: 'done' | 'unused' | 'reload'): void {
    if (outcome === 'reload' && version === shown) {
      shown = null;
      deliver();
    } else if (version === shown) stage.setState('running');
  }

  async function reload(difference: Difference | null): Promise<void> {
    loading = true;
    stage.setState(stage.state.status === 'starting' ? 'starting' : 'updating');
    const { signal } = frameGone;
    await store();
    if (signal.aborted) return;
    frame?.send({ type: 'show', run, path: shownPath === null ? entry : null, changed: null });
    expectHello();
  }

  /** Sends what the service worker lacks; one message at a time, so that each has a known base. */
  function store(): Promise<void> {
    storing ??= storeAll(frameGone.signal).finally(() => (storing = undefined));
    return storing;
  }

  async function storeAll(signal: AbortSignal): Promise<void> {
    while (stored !== sources.version && !signal.aborted) {
      const { version } = sources;
      const base = stored;
      const difference = base === null ? { changed: sources.paths, removed: [] } : sources.since(base);
      const answer = await ask(
        {
          type: 'relay',
          message: {
            type: 'store',
            run,
            base,
            version,
            files: sources.pack(difference.changed),
            removed: difference.removed,
          },
        },
        signal,
      );
      if (answer) stored = answer.type === 'stored' ? answer.version : null;
    }
  }

  function ask(
    message: Parameters<Frame['send']>[0],
    signal: AbortSignal,
  ): Promise<StoreAnswer | undefined> {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      const end = (answer: StoreAnswer | undefined) => {
        port1.close();
        resolve(answer);
      };
      signal.addEventListener('abort', () => end(undefined), { once: true });
      port1.onmessage = ({ data }: MessageEvent<unknown>) => end(parseStoreAnswer(data));
      frame?.send(message, [port2]);
    });
  }

  /** Only taking a frame away ends code that does not return; nothing can be sent to it. P-21 */
  function armRecovery(): void {
    clearTimeout(recoveryTimer);
    const isHung = () => heartbeat.silentMs >= patienceMs;
    const recover = () => {
      const difference = shown === null ? null : sources.since(shown);
      if (!isHung() || (difference && isStyleOnly(difference))) return;
      stage.setState('starting');
      void open();
    };
    if (isHung()) recover();
    else recoveryTimer = setTimeout(recover, patienceMs + 50);
  }
}

function isStyleOnly({ changed, removed }: Difference): boolean {
  return removed.length === 0 && changed.every((path) => extension(path) === 'css');
}

function randomRun(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
