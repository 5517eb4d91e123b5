/**
 * Runs one test file in a frame. Every run ends: when the file is done, or when its frame is removed
 * because it failed to load, left its page, or became unresponsive.
 */
import { inlineProject } from '@vitrine/compiler';
import { runParameter, type FromFrame, type Hello } from '../../protocol.ts';
import type { TestEvent, TestRequest } from '../../test-messages.ts';
import { openFrameConnection } from '../frame-connection.ts';
import { createHeartbeat } from '../heartbeat.ts';
import { listOutputs, toMessage } from '../srcdoc-files.ts';
import type { SharedCompilation } from '../mount.ts';
import type { TestFileStore } from './test-file-store.ts';

/** Where test files run: on an isolated origin with the service worker, or in an opaque-origin document. */
export type TestHost =
  | { transport: 'isolated-origin'; origin: string; store: TestFileStore }
  | { transport: 'srcdoc'; origin: string };

export type TestRunEnd =
  | { kind: 'done' }
  /** The frame was removed for this reason; `unresponsive` if its code didn't return. */
  | { kind: 'ended' | 'unresponsive'; message: string }
  /** The browser refuses the service worker. */
  | { kind: 'refused' };

interface TestFrameOptions {
  shared: SharedCompilation;
  element: HTMLElement;
  host: TestHost;
  /** Time that the running test may take without responding to a ping. */
  unresponsiveMs(): number;
  onEvent(event: TestEvent): void;
  /** Log entries and uncaught errors. */
  onMessage(message: FromFrame): void;
  /** Called once; `removed` resolves when the frame has been removed. */
  onEnd(end: TestRunEnd, removed: Promise<void>): void;
}

export interface TestFrame {
  /** Time since the oldest unanswered ping; 0 if there is none. */
  readonly silentMs: number;
  /** Removes the frame; no callback follows. Resolves when it is gone. */
  close(): Promise<void>;
}

/** Allows for a busy machine that installs a service worker first. */
const helloTimeoutMs = 30_000;
/** Allows for building a package that was never used before. */
const collectTimeoutMs = 60_000;
const checkIntervalMs = 250;

type FileTest = Omit<TestRequest, 'files'>;

export function openTestFrame(test: FileTest, o: TestFrameOptions): TestFrame {
  const { moduleStore } = o.shared;
  const ended = new AbortController();
  let isStarted = false;
  const heartbeat = createHeartbeat({
    sendPing: () => frame.send({ type: 'ping', count: 0 }),
    onUnresponsive: () => undefined,
    onResponsive: () => undefined,
  });
  const helloTimer = setTimeout(
    () => end({ kind: 'ended', message: 'The test page didn’t respond. Run it again.' }),
    helloTimeoutMs,
  );
  let collectTimer: ReturnType<typeof setTimeout> | undefined;
  const checkTimer = setInterval(() => {
    const limitMs = o.unresponsiveMs();
    if (heartbeat.silentMs < limitMs) return;
    end({
      kind: 'unresponsive',
      message: `The test didn’t finish within ${limitMs / 1000} seconds.`,
    });
  }, checkIntervalMs);

  const frame = openFrameConnection(o.element, {
    title: 'Test page',
    url: urlOf(o.host),
    origin: o.host.transport === 'isolated-origin' ? o.host.origin : 'null',
    onHello: (hello) => void ask(hello),
    onMessage,
    // The page reloads itself until the service worker is active; helloTimer covers that time.
    onNavigatedAway: () => undefined,
  });

  return {
    get silentMs() {
      return heartbeat.silentMs;
    },
    close,
  };

  async function ask(hello: Hello): Promise<void> {
    clearTimeout(helloTimer);
    if (hello.shown.kind !== 'tests' || isStarted)
      return end({
        kind: 'ended',
        message: 'The test navigated away from its page, so it was stopped.',
      });
    if (o.host.transport === 'isolated-origin') await o.host.store.sync(frame, ended.signal);
    if (ended.signal.aborted) return;
    isStarted = true;
    const files = o.host.transport === 'isolated-origin' ? null : inlineFiles();
    frame.send({ type: 'test', test: { ...test, files } });
    heartbeat.start();
    const message = `${test.path} didn’t finish loading within ${collectTimeoutMs / 1000} seconds.`;
    collectTimer = setTimeout(() => end({ kind: 'ended', message }), collectTimeoutMs);
  }

  /** Inlined project files. The test page itself is the document, so the project needs no page. */
  function inlineFiles(): NonNullable<TestRequest['files']> {
    const page = {
      path: '__vitrine-tests.html',
      text: '',
      isAsset: false,
      mediaType: 'text/html',
      code: null,
      module: null,
    };
    const { files } = inlineProject([...listOutputs(moduleStore), page], page.path);
    return toMessage(files, moduleStore);
  }

  function onMessage(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        return heartbeat.onPong();
      case 'service-worker-unavailable':
        return end({ kind: 'refused' });
      case 'tests':
        if (message.event.kind === 'collected') clearTimeout(collectTimer);
        o.onEvent(message.event);
        if (message.event.kind === 'done') end({ kind: 'done' });
        return;
      default:
        o.onMessage(message);
    }
  }

  function end(result: TestRunEnd): void {
    if (ended.signal.aborted) return;
    o.onEnd(result, close());
  }

  function close(): Promise<void> {
    ended.abort();
    clearTimeout(helloTimer);
    clearTimeout(collectTimer);
    clearInterval(checkTimer);
    heartbeat.close();
    return frame.close();
  }
}

function urlOf(host: TestHost): string {
  return host.transport === 'isolated-origin'
    ? `${host.origin}/__vitrine/tests?${runParameter}=${host.store.run}`
    : `${host.origin}/__vitrine/srcdoc-tests`;
}
