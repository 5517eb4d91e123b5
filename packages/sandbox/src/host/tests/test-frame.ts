/**
 * One test file in a frame of its own, from its opening to its end. Whatever it does, it comes to an
 * end: by itself, or by having its frame taken away.
 */
import { inlineProject } from '@vitrine/compiler';
import { runParameter, type FromFrame, type Hello } from '../../protocol.ts';
import type { TestEvent, TestRequest } from '../../test-messages.ts';
import { openFrame } from '../frame.ts';
import { createHeartbeat } from '../heartbeat.ts';
import type { SharedFiles } from '../shared-files.ts';
import type { Store } from './store.ts';

/** Where test files run: at an origin with the service worker, or in documents without one. */
export type TestPlace =
  { path: 'served'; origin: string; store: Store } | { path: 'portable'; origin: string };

export type TestEnd =
  | { kind: 'done' }
  /** It was taken away, for this reason; what hangs does not answer. */
  | { kind: 'ended' | 'hung'; sentence: string }
  /** The browser has no service worker for it. */
  | { kind: 'refused' };

export interface TestFrameOptions {
  shared: SharedFiles;
  element: HTMLElement;
  place: TestPlace;
  /** How long the test that runs may give no sign of life. */
  patienceMs(): number;
  onEvent(event: TestEvent): void;
  /** Console entries, and errors that nobody caught. */
  onMessage(message: FromFrame): void;
  /** Called once; the frame is on its way out. */
  onEnd(end: TestEnd, gone: Promise<void>): void;
}

export interface TestFrame {
  /** How long it has not answered. */
  readonly silentMs: number;
  /** Takes the frame away; nothing is told any more. Done when it is gone. */
  close(): Promise<void>;
}

const helloWithinMs = 10_000;
/** A package that nobody used yet may have to be built first. */
const collectedWithinMs = 60_000;
const lookEveryMs = 250;

type FileTest = Omit<TestRequest, 'files'>;

export function openTestFrame(test: FileTest, o: TestFrameOptions): TestFrame {
  const { sources } = o.shared;
  const gone = new AbortController();
  let isAsked = false;
  const heartbeat = createHeartbeat({
    ask: () => frame.send({ type: 'ping', count: 0 }),
    onStalled: () => undefined,
    onBack: () => undefined,
  });
  const helloTimer = setTimeout(
    () => end({ kind: 'ended', sentence: 'The test page didn’t respond. Run it again.' }),
    helloWithinMs,
  );
  let collectTimer: ReturnType<typeof setTimeout> | undefined;
  const looking = setInterval(() => {
    const patienceMs = o.patienceMs();
    if (heartbeat.silentMs < patienceMs) return;
    end({ kind: 'hung', sentence: `The test didn’t finish within ${patienceMs / 1000} seconds.` });
  }, lookEveryMs);

  const frame = openFrame(o.element, {
    title: 'Test page',
    address: addressOf(o.place),
    origin: o.place.path === 'served' ? o.place.origin : 'null',
    onHello: (hello) => void ask(hello),
    onMessage: hear,
    // It loads itself again until the service worker is there; the hello has its own time.
    onStranger: () => undefined,
  });

  return {
    get silentMs() {
      return heartbeat.silentMs;
    },
    close,
  };

  async function ask(hello: Hello): Promise<void> {
    clearTimeout(helloTimer);
    if (hello.shown.kind !== 'tests' || isAsked)
      return end({ kind: 'ended', sentence: 'The test navigated away from its page.' });
    if (o.place.path === 'served') await o.place.store.bring(frame, gone.signal);
    if (gone.signal.aborted) return;
    isAsked = true;
    const files = o.place.path === 'served' ? null : inlineFiles();
    frame.send({ type: 'test', test: { ...test, files } });
    heartbeat.start();
    const sentence = `${test.path} did not finish loading within ${collectedWithinMs / 1000} s.`;
    collectTimer = setTimeout(() => end({ kind: 'ended', sentence }), collectedWithinMs);
  }

  /** The page of the tests is the document; of the project's files none has to be. */
  function inlineFiles(): NonNullable<TestRequest['files']> {
    const page = {
      path: '__vitrine-tests.html',
      text: '',
      mediaType: 'text/html',
      code: null,
      module: null,
    };
    return inlineProject([...sources.forms(), page], page.path).files.map(
      ({ path, text, mediaType }) => [path, text, mediaType],
    );
  }

  function hear(message: FromFrame): void {
    switch (message.type) {
      case 'pong':
        return heartbeat.heard();
      case 'refused':
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

  function end(how: TestEnd): void {
    if (gone.signal.aborted) return;
    o.onEnd(how, close());
  }

  function close(): Promise<void> {
    gone.abort();
    clearTimeout(helloTimer);
    clearTimeout(collectTimer);
    clearInterval(looking);
    heartbeat.close();
    return frame.close();
  }
}

function addressOf(place: TestPlace): string {
  return place.path === 'served'
    ? `${place.origin}/__vitrine/tests?${runParameter}=${place.store.run}`
    : `${place.origin}/__vitrine/portable-tests`;
}
