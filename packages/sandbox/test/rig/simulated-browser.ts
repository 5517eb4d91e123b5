import type { Event } from '../../src/host/machine.ts';
import type { HotMessage } from '../../src/hot-messages.ts';
import type {
  DocumentSource,
  FromFrame,
  StoreResponse,
  ToFrame,
  ToServiceWorker,
  UpdateOutcome,
} from '../../src/protocol.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** What pages do slowly: apply updates, or paint for the first time. It takes seconds. */
export type PageHabit = 'prompt' | 'slow-updates' | 'slow-paint';

/** Longest wait of the service worker for a version, as in run-store.ts. */
const versionTimeoutMs = 2_000;
const slowMs = 5_000;

interface SimulatedDocument {
  readonly number: number;
  /** File of the page; null for the boot page and a 404 page. */
  path: string | null;
  /** Number of the edit in which it runs each file; 0 for the initial files. */
  readonly edits: Map<string, number>;
  /** A module threw or was missing while it was replaced, which the page has reported. */
  isBroken: boolean;
  /** A module rejected its update, and its importers can't accept it either. */
  isInvalidated: boolean;
  /** It runs code that never returns. */
  isLooping: boolean;
}

interface SimulatedFrame {
  readonly origin: string;
  document: SimulatedDocument | null;
  /** Number of the document whose hello has arrived, to which messages are sent. */
  port: number | null;
  /** Number of the last navigation; earlier ones are superseded. */
  navigation: number;
  isHung: boolean;
  /** What the document does once it responds again. */
  readonly unread: (() => void)[];
}

interface BrowserOptions {
  readonly clock: SimulatedClock;
  readonly run: string;
  /** Revision in which the server has the initial files; null if it has none. */
  readonly revision: number | null;
  readonly habit: PageHabit;
  readonly dispatch: (event: Event) => void;
  readonly onViolation: (line: string) => void;
  /** Whether the code of an edit never returns. */
  readonly isLoop: (edit: number) => boolean;
  /** A document runs code that never returns: its files in these edits. */
  readonly onLoop: (edits: readonly number[]) => void;
}

/** Frames with their documents, and the service worker of the preview's origin. */
export class SimulatedBrowser {
  readonly #options: BrowserOptions;
  readonly #frames = new Map<number, SimulatedFrame>();
  #documents = 0;
  #waits = 0;
  /** A page was opened. */
  #hasPage = false;
  /** What the service worker holds of the run: its version, and the text of each file. */
  #stored: { version: number; readonly files: Map<string, string> } | null = null;
  /** Requests that wait for a version. */
  readonly #waiting = new Set<() => void>();
  /** The next page or frame doesn't load. */
  #losesNext = false;
  /** Number of pages and frames that didn't load. */
  lossCount = 0;
  /** What comes of the next update; the page decides. */
  #nextOutcome: 'done' | 'failed' | 'reload' | 'invalid' = 'done';

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  get frameCount(): number {
    return this.#frames.size;
  }

  documentOf(frame: number): SimulatedDocument | undefined {
    return this.#frames.get(frame)?.document ?? undefined;
  }

  /** Whether a frame holds a document of the project, and none has said hello. */
  awaitsHello(number: number): boolean {
    const frame = this.#frames.get(number);
    return frame !== undefined && frame.document !== null && frame.port === null;
  }

  act(kind: string, choice: number): void {
    switch (kind) {
      case 'hang':
      case 'recover':
        for (const frame of this.#frames.values()) frame.isHung = kind === 'hang';
        return this.#resume();
      case 'loop-itself':
        for (const { document } of this.#frames.values())
          if (document?.path === 'index.html') document.isLooping = true;
        return;
      case 'evict':
        this.#stored = null;
        return;
      case 'log':
        for (const [number, { isHung }] of this.#frames)
          if (!isHung && this.documentOf(number)?.isLooping !== true)
            this.#reply(number, { type: 'dropped', count: 1 });
        return;
      case 'lose':
        this.#losesNext = true;
        return;
      case 'misbehave':
        this.#nextOutcome = (['failed', 'reload', 'invalid'] as const)[choice % 3] ?? 'done';
        return;
      case 'reload-itself':
        for (const [number, { document, isHung, origin }] of this.#frames) {
          if (document?.path == null || isHung || document.isLooping) continue;
          if (origin === 'null') this.#becomeEmpty(number);
          else this.#navigate(number, document.path, null);
        }
        return;
      default:
        throw new Error(`There is no action ${kind}`);
    }
  }

  openFrame(number: number, url: string, origin: string): void {
    this.#frames.set(number, {
      origin,
      document: null,
      port: null,
      navigation: 0,
      isHung: false,
      unread: [],
    });
    if (this.#losesLoad()) return;
    const { pathname: requested, searchParams } = new URL(url);
    // An access URL redirects.
    const pathname = searchParams.get('path') ?? requested;
    if (origin === 'null') this.#load(number, { kind: 'srcdoc' }, null, new Map());
    else if (pathname === '/__vitrine/boot') this.#load(number, { kind: 'boot' }, null, new Map());
    else this.#navigate(number, pathname.slice(1) || 'index.html', null);
  }

  removeFrame(number: number): void {
    if (!this.#frames.delete(number)) this.#options.onViolation('a frame is removed twice');
    this.#resume();
  }

  /** Sends a message to the document whose hello has arrived. It is lost if that document is gone by then. */
  send(number: number, message: ToFrame, respond?: (response: StoreResponse) => void): void {
    const frame = this.#frames.get(number);
    if (!frame) return this.#options.onViolation(`${message.type} is sent to a frame that is gone`);
    const { port } = frame;
    if (port === null) return;
    this.#options.clock.post(`to ${number}`, () =>
      this.#whenResponsive(number, port, () => this.#receive(number, port, message, respond)),
    );
  }

  /** Runs code of a document, once it responds; never if it is gone. */
  #whenResponsive(number: number, document: number, run: () => void): void {
    const frame = this.#frames.get(number);
    if (frame?.document?.number !== document) return;
    if (frame.isHung || this.#isBlocked(frame))
      frame.unread.push(() => this.#whenResponsive(number, document, run));
    else run();
  }

  /** Whether code that never returns blocks a frame: its own, or with srcdoc any frame's, which share a process. */
  #isBlocked(frame: SimulatedFrame): boolean {
    const sharing = frame.origin === 'null' ? [...this.#frames.values()] : [frame];
    return sharing.some(({ document }) => document?.isLooping === true);
  }

  #resume(): void {
    for (const frame of this.#frames.values())
      if (!frame.isHung && !this.#isBlocked(frame)) for (const run of frame.unread.splice(0)) run();
  }

  /** Runs the code of a document as it is now. */
  #runCode(document: SimulatedDocument): void {
    const isLoop = [...document.edits].some(
      ([path, edit]) => path.endsWith('.js') && this.#options.isLoop(edit),
    );
    if (!isLoop) return;
    document.isLooping = true;
    this.#options.onLoop([...document.edits.values()]);
  }

  /** Sends a message of the current document to the host. */
  #reply(number: number, message: FromFrame): void {
    const document = this.#frames.get(number)?.document;
    if (!document) return;
    this.#options.clock.post(`from ${number}`, () => {
      const frame = this.#frames.get(number);
      // What comes from a document before its hello, or after the next one's, is dropped; what comes from a frame
      // that was removed in the meantime isn't.
      if (!frame || frame.port === document.number)
        this.#options.dispatch({ type: 'message', frame: number, message });
    });
  }

  // Navigations

  /** Whether a page or frame that the machine requests doesn't load. */
  #losesLoad(): boolean {
    const isLost = this.#losesNext;
    this.#losesNext = false;
    if (isLost) this.lossCount += 1;
    return isLost;
  }

  #navigate(number: number, path: string, version: number | null): void {
    const frame = this.#frames.get(number);
    if (!frame) return;
    if (frame.document) this.#reply(number, { type: 'unloading' });
    const navigation = ++frame.navigation;
    if (version !== null && this.#losesLoad()) return;
    const isCurrent = () => this.#frames.get(number)?.navigation === navigation;
    this.#options.clock.post(`load ${number}`, () =>
      this.#whenStored(version, () => isCurrent() && this.#open(number, path, version)),
    );
  }

  /** Opens a page as the service worker or else the server has it. */
  #open(number: number, path: string, version: number | null): void {
    const { run, revision } = this.#options;
    if (this.#stored) {
      const edits = new Map(
        Array.from(this.#stored.files, ([file, text]) => [file, editNumberOf(text)]),
      );
      this.#load(number, { kind: 'run', run, version: this.#stored.version }, path, edits);
    } else if (version === null && revision !== null)
      this.#load(number, { kind: 'saved', revision }, path, new Map());
    else this.#load(number, { kind: 'absent' }, null, new Map(), `/${path}`);
  }

  #load(
    number: number,
    shown: DocumentSource,
    path: string | null,
    edits: ReadonlyMap<string, number>,
    requested = '/',
  ): void {
    const { clock, dispatch } = this.#options;
    const frame = this.#frames.get(number);
    if (!frame) return;
    const document = {
      number: ++this.#documents,
      path,
      isBroken: false,
      isInvalidated: false,
      isLooping: false,
      edits: new Map(filesOfPage(path).map((file) => [file, edits.get(file) ?? 0])),
    };
    frame.document = document;
    frame.unread.length = 0;
    frame.isHung = false;
    this.#whenResponsive(number, document.number, () => {
      clock.post(`from ${number}`, () => {
        const current = this.#frames.get(number);
        if (current) current.port = document.number;
        dispatch({
          type: 'hello',
          frame: number,
          // The 404 page has the path of the requested URL.
          hello: { vitrine: 'hello', protocol: 2, shown, path: path ?? requested },
        });
      });
      this.#runCode(document);
      if (path !== null) this.#paint(number, document.number);
    });
  }

  #paint(number: number, document: number): void {
    const paint = () =>
      this.#whenResponsive(number, document, () => this.#reply(number, { type: 'painted' }));
    const isSlow = this.#options.habit === 'slow-paint' && !this.#hasPage;
    this.#hasPage = true;
    if (isSlow) this.#options.clock.setTimer(`paint ${document}`, slowMs, paint);
    else paint();
  }

  /** A srcdoc document that reloads itself is empty again. */
  #becomeEmpty(number: number): void {
    const frame = this.#frames.get(number);
    if (!frame?.document) return;
    frame.document = { ...frame.document, number: ++this.#documents, path: null, edits: new Map() };
    this.#options.clock.post(`from ${number}`, () =>
      this.#options.dispatch({ type: 'reloaded', frame: number }),
    );
  }

  // The service worker

  #store(message: ToServiceWorker, respond: (response: StoreResponse) => void): void {
    if (message.type !== 'store') return;
    const { base, version, files } = message;
    const reply = (response: StoreResponse) =>
      this.#options.clock.post('stored', () => respond(response));
    if (base !== null && this.#stored?.version !== base) return reply({ type: 'base-unknown' });
    this.#stored = {
      version,
      files: base === null ? new Map() : (this.#stored?.files ?? new Map()),
    };
    for (const { path, text, code } of files) this.#stored.files.set(path, code ?? text);
    reply({ type: 'stored', version });
    for (const check of this.#waiting) check();
  }

  /** Runs something once the service worker has a version, or has waited too long; for null at once. */
  #whenStored(version: number | null, run: () => void): void {
    const { clock } = this.#options;
    const timer = `version ${++this.#waits}`;
    const finish = () => {
      clock.setTimer(timer, null, finish);
      this.#waiting.delete(check);
      run();
    };
    const check = () => {
      if (version === null || (this.#stored !== null && this.#stored.version >= version)) finish();
    };
    clock.setTimer(timer, versionTimeoutMs, finish);
    this.#waiting.add(check);
    check();
  }

  // Messages to a document

  #receive(
    number: number,
    documentNumber: number,
    message: ToFrame,
    respond: ((response: StoreResponse) => void) | undefined,
  ): void {
    const document = this.documentOf(number);
    if (document?.number !== documentNumber) return;
    const applied = (version: number, outcome: UpdateOutcome) =>
      this.#reply(number, { type: 'applied', version, outcome });
    switch (message.type) {
      case 'ping':
        return this.#reply(number, { type: 'pong', count: message.count });
      case 'relay':
        return this.#options.clock.post('worker', () =>
          this.#store(message.message, respond ?? (() => undefined)),
        );
      case 'show':
        if (message.unlessUnused && !uses(document, message.unlessUnused))
          return applied(message.version, 'unused');
        // A page that needs the files that were sent before it loads after them.
        return this.#options.clock.post('worker', () =>
          this.#whenResponsive(number, documentNumber, () =>
            this.#navigate(number, message.path ?? document.path ?? 'index.html', message.version),
          ),
        );
      case 'go':
        return this.#navigate(number, message.address.slice(1), null);
      case 'write': {
        if (document.path !== null) this.#options.onViolation('a frame is sent the project twice');
        const { path, html, files } = message.project;
        document.path = path;
        for (const file of filesOfPage(path)) document.edits.set(file, 0);
        readFiles(document, [[path, html], ...files]);
        this.#runCode(document);
        return this.#paint(number, documentNumber);
      }
      case 'style': {
        const areUsed = message.styles.every(([path]) => uses(document, [path]));
        readFiles(document, message.styles);
        return applied(message.version, areUsed ? 'done' : 'unused');
      }
      case 'document': {
        const outcome = this.#decideOutcome() === 'reload' ? 'reload' : 'done';
        if (outcome === 'done') readFiles(document, [[document.path ?? '', message.text]]);
        return applied(message.version, outcome);
      }
      case 'hot':
        return this.#update(number, document, message);
      default:
        return;
    }
  }

  #decideOutcome() {
    const outcome = this.#nextOutcome;
    this.#nextOutcome = 'done';
    return outcome;
  }

  #update(number: number, document: SimulatedDocument, message: HotMessage): void {
    if (document.isBroken) this.#options.onViolation('a broken page is updated');
    const outcome = this.#decideOutcome();
    const reply = (...messages: FromFrame[]) =>
      this.#whenResponsive(number, document.number, () => {
        for (const each of messages) this.#reply(number, each);
      });
    const applied = (result: UpdateOutcome) =>
      ({ type: 'applied', version: message.version, outcome: result }) as const;
    if (outcome === 'reload' || document.path === null || uses(document, message.unlessUsed))
      return reply(applied('reload'));
    readFiles(document, message.styles);
    const finish = () => {
      document.isBroken ||= outcome === 'failed';
      // A module that has changed again may accept its update.
      document.isInvalidated = outcome === 'invalid';
      if (outcome !== 'invalid') return reply(applied(outcome));
      const [first] = message.updates;
      reply({ type: 'invalid', id: first?.accepted ?? '' }, applied('done'));
    };
    const load = () => {
      if (this.#frames.get(number)?.origin === 'null') readFiles(document, message.files);
      else if (!this.#stored) {
        document.isBroken = true;
        return reply(applied('failed'));
      } else for (const { accepted } of message.updates) this.#loadModule(document, accepted);
      this.#runCode(document);
      if (this.#options.habit === 'slow-updates')
        this.#options.clock.setTimer(
          `update ${document.number} ${message.version}`,
          slowMs,
          finish,
        );
      else finish();
    };
    const newest = Math.max(...message.updates.map(({ stamp }) => stamp));
    this.#whenStored(this.#frames.get(number)?.origin === 'null' ? null : newest, load);
  }

  /** Loads a new module, and what it imports in a new version. */
  #loadModule(document: SimulatedDocument, path: string): void {
    const text = this.#stored?.files.get(path) ?? '';
    readFiles(document, [[path, text]]);
    for (const [, imported = ''] of text.matchAll(/(\w+\.js)\?t=\d+/g))
      this.#loadModule(document, imported);
  }
}

/** Files that a page uses. */
export function filesOfPage(path: string | null): string[] {
  if (path === null) return [];
  return path === 'index.html'
    ? ['index.html', 'style.css', 'app.js', 'part.js', 'leaf.js']
    : [path, 'style.css'];
}

/** Number of the edit that a text was made by; 0 for an initial text. */
export function editNumberOf(text: string): number {
  return Number(/(?:\/\*|<!--) (\d+) (?:\*\/|-->)/.exec(text)?.[1] ?? 0);
}

function uses(document: SimulatedDocument, paths: readonly string[]): boolean {
  return paths.some((path) => document.edits.has(path));
}

function readFiles(
  document: SimulatedDocument,
  files: readonly (readonly [path: string, text: string | Blob, ...rest: unknown[]])[],
): void {
  for (const [path, text] of files)
    if (document.edits.has(path) && typeof text === 'string')
      document.edits.set(path, editNumberOf(text));
}
