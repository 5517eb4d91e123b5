import { findErrorCode, limits, readFiles, VitrineError, type ErrorCode } from '@vitrine/project';
import * as Y from 'yjs';
import { checksum } from './checksum.ts';
import { admitUpdate, type CheckedUpdate } from './gate.ts';
import { fromElsewhere, type DamagedUpdate, type Outbox, type SendableRow } from './outbox.ts';
import type { Tabs } from './tabs.ts';
import {
  encodeBytes,
  parseAppendAnswer,
  parseLoadedDocument,
  type AppendCall,
  type LoadDocument,
  type LoadedDocument,
  type LoggedUpdate,
  type SavedAnswer,
  type SendUpdates,
} from './wire.ts';

/** What is typed in one go is sent in one go, once it rests. */
const restMs = 350;
/** Leaves the device time to write inside `sendWithinMs`. */
const sendAfterMs = limits.sendWithinMs * 0.9;
/** A refused save is tried again with a later edit, which may have mended the cause, but not with each. */
const refusedPauseMs = 10_000;
/** A call without an answer counts as failed after this; sending it again changes nothing. */
const callTimeoutMs = 30_000;

/** Why sending does not work at the moment. `refused`: the server answered, and said no. */
export interface SendTrouble {
  readonly kind: 'offline' | 'refused';
  readonly code: ErrorCode;
  /** What was thrown, for the details. */
  readonly cause: unknown;
}

export interface ServerLinkOptions {
  readonly project: string;
  readonly owner: string;
  readonly doc: Y.Doc;
  readonly outbox: Outbox;
  /** The tabs that hold this document now: others than before once a draft is a project. */
  readonly tabs: () => Tabs;
  readonly send: SendUpdates;
  readonly load: LoadDocument;
  readonly changed: () => void;
  readonly damaged: (damage: DamagedUpdate) => void;
}

/**
 * Sends a project's outbox to the server, in order, and brings in what others saved.
 *
 * The server's log is numbered. `base` is the last number this document holds; the server takes
 * edits only on top of its last one, together with the text of the files they change, so that the
 * files it stores are always the text of its log. Whoever is behind gets what is missing, merges,
 * and sends again.
 */
export class ServerLink {
  readonly #options: ServerLinkOptions;
  readonly #closing = new AbortController();
  /** Undefined until the server has been read: what is on the device may be older than it. */
  #base: number | undefined;
  /**
   * True from an answer of before the device was read, or edits sent by another tab, until the
   * server was asked what came since.
   */
  #isDated = false;
  /** Path → the text that the server's files hold; null where that is not known for sure. */
  #serverFiles = new Map<string, string | null>();
  #trouble: SendTrouble | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When what has waited longest is sent at the latest. */
  #dueAt: number | undefined;
  #sending: Promise<void> | undefined;
  /** The last of what sends or catches up; never rejects. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ServerLinkOptions) {
    this.#options = options;
  }

  get trouble(): SendTrouble | undefined {
    return this.#trouble;
  }

  get base(): number | undefined {
    return this.#base;
  }

  /** True when another tab may have sent edits that neither the device nor this document holds. */
  get isDated(): boolean {
    return this.#isDated;
  }

  /** Starts from a state that the server is known to hold. */
  startAt(base: number, files: ReadonlyMap<string, string>): void {
    this.#base = base;
    this.#serverFiles = new Map(files);
  }

  /** There is something to send: within the second, or when the pause after a failure is over. */
  schedule(): void {
    if (this.#trouble) {
      const pause = this.#trouble.kind === 'refused' ? refusedPauseMs : sendAfterMs;
      this.#timer ??= setTimeout(() => void this.drain(), pause);
      return;
    }
    const now = performance.now();
    this.#dueAt ??= now + sendAfterMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.drain(), Math.min(restMs, this.#dueAt - now));
  }

  /** Sends all there is, now, on top of what others sent. Resolves when it is acknowledged, or when sending failed. */
  async drain(): Promise<void> {
    this.#clearTimer();
    if (this.#sending) {
      await this.#sending;
      // It began without what was written since.
      if (this.#trouble || this.#options.outbox.isEmpty) return;
      this.#clearTimer();
    }
    this.#sending ??= this.#drainAlone().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  /**
   * Reads the whole document from the server, or takes this earlier answer of it, and merges it.
   * Rejects as `load` does.
   */
  async read(earlier?: unknown): Promise<void> {
    const { doc, project } = this.#options;
    this.#isDated = earlier !== undefined;
    const loaded = this.#isDated ? parseLoadedDocument(earlier) : await this.#load(project, 0);
    const served = isUntouched(doc) ? doc : new Y.Doc();
    await this.#admitDocument(served, loaded);
    this.startAt(loaded.seq, readFiles(served));
    if (served !== doc) Y.applyUpdate(doc, Y.encodeStateAsUpdate(served), fromElsewhere);
    await this.#acknowledgeLogged(loaded.updates);
  }

  /** Reads the server's document and returns the edit that makes it this one. Rejects as `load` does. */
  async readMissing(): Promise<Uint8Array> {
    const { doc, project } = this.#options;
    const loaded = await this.#load(project, 0);
    const served = new Y.Doc();
    await this.#admitDocument(served, loaded);
    this.startAt(loaded.seq, readFiles(served));
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(served), fromElsewhere);
    return Y.encodeStateAsUpdate(doc, Y.encodeStateVector(served));
  }

  /** Brings in what others have saved since. Rejects as `load` does. */
  async #pull(): Promise<void> {
    if (this.#base === undefined) return this.read();
    const loaded = await this.#load(this.#options.project, this.#base);
    // What came since may be on the device too, sent by another tab.
    if (this.#isDated) this.#forgetFiles();
    await this.#noting(() => this.#admitDocument(this.#options.doc, loaded));
    await this.#acknowledgeLogged(loaded.updates);
    this.#base = loaded.seq;
    this.#isDated = false;
  }

  /**
   * Brings in what others have saved up to this number, unless it is here by then. Rejects as `load`
   * does.
   */
  async catchUp(upTo = Infinity): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isDated || (this.#base ?? 0) < upTo) await this.#pull();
    });
  }

  /** Applies what the gate lets through; files that look different then are not known any more. */
  async admit(update: CheckedUpdate): Promise<string | undefined> {
    return this.#noting(() => admitUpdate(this.#options.doc, update, fromElsewhere));
  }

  /** Another tab has sent edits of here, merged with what others saved: that is still to be read. */
  noteSentElsewhere(): void {
    if (this.#closing.signal.aborted) return;
    this.#forgetFiles();
    this.#isDated = true;
    this.schedule();
  }

  close(): void {
    this.#clearTimer();
    this.#closing.abort(new VitrineError('backend_unreachable', 'the document was closed'));
  }

  /**
   * The server's text counts as unknown, of every file: it holds edits that are in this document
   * already, and once they are taken back here nothing would look different from before them.
   */
  #forgetFiles(): void {
    for (const path of this.#serverFiles.keys()) this.#serverFiles.set(path, null);
  }

  async #drainAlone(): Promise<void> {
    const { tabs, outbox } = this.#options;
    await tabs().alone(async () => {
      await outbox.takeFromDevice();
      try {
        await this.#inTurn(async () => {
          outbox.cut();
          const last = outbox.rows.at(-1);
          const isLeft = () => last !== undefined && outbox.rows.includes(last);
          // What is written meanwhile comes with the next save: each takes the whole text of a file along.
          while ((await this.#sendSome()) && isLeft());
        });
        this.#recover();
      } catch (error) {
        this.#fail(error);
      }
    });
    if (!outbox.isEmpty && !this.#trouble) this.schedule();
  }

  /** Sending waits for catching up, and the other way: both say what the server's files hold. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    await done;
  }

  /** One call to the server; false when there was nothing to send. */
  async #sendSome(): Promise<boolean> {
    const { outbox, doc } = this.#options;
    if (this.#base === undefined) await this.read();
    if (this.#isDated) await this.#pull();
    outbox.cut();
    // Of one moment with the cut: the text of exactly the edits that are in the rows.
    const files = readFiles(doc);
    const rows = nextRows(outbox.rows);
    if (rows.length === 0) return false;
    await outbox.settled();
    const answer = parseAppendAnswer(await this.#send(rows, files));
    if (answer.status === 'behind') await this.#catchUp(answer.seq, answer.updates);
    else await this.#accept(answer, rows, files);
    return true;
  }

  #send(rows: readonly SendableRow[], files: ReadonlyMap<string, string>): Promise<unknown> {
    const { project, owner, send } = this.#options;
    const call: AppendCall = {
      project,
      client: rows[0]?.client ?? '',
      base: this.#base ?? 0,
      updates: rows.map(({ clientSeq, update, sha256 }) => ({
        client_seq: clientSeq,
        update: encodeBytes(update),
        sha256,
      })),
      changed: [...files]
        .filter(([path, content]) => this.#serverFiles.get(path) !== content)
        .map(([path, content]) => ({ path, content })),
      removed: [...this.#serverFiles.keys()].filter((path) => !files.has(path)),
    };
    return this.#call((signal) => send(call, { owner, signal }));
  }

  async #accept(
    { seq, isAgain }: SavedAnswer,
    rows: readonly SendableRow[],
    files: ReadonlyMap<string, string>,
  ): Promise<void> {
    const expected = (this.#base ?? 0) + rows.length;
    // Edits that were there already are taken without their text, which may be another by now.
    if (isAgain) this.#forgetFiles();
    else this.#serverFiles = new Map(files);
    await this.#options.outbox.acknowledge(rows);
    this.#options.tabs().tell({ type: 'acknowledged' });
    // Another number: these rows were there already, and others' edits may lie between.
    if (seq === expected) this.#base = seq;
    else await this.#pull();
  }

  async #catchUp(seq: number, updates: readonly LoggedUpdate[]): Promise<void> {
    const base = this.#base ?? 0;
    if (seq <= base) throw new VitrineError('version_conflict', `behind ${seq}, which is known`);
    const complete = updates.length === seq - base;
    if (!complete) return this.#pull();
    await this.#noting(() => this.#admitLog(this.#options.doc, updates));
    await this.#acknowledgeLogged(updates);
    this.#base = seq;
  }

  async #admitDocument(doc: Y.Doc, { state, updates }: LoadedDocument): Promise<void> {
    if (state) {
      const { update, sha256 = await checksum(state.update) } = state;
      const reason = await admitUpdate(doc, { update, sha256 }, fromElsewhere, 'state');
      // Without its state a document would look empty, and be saved so.
      if (reason) throw new VitrineError('unexpected', `the stored document is damaged: ${reason}`);
    }
    await this.#admitLog(doc, updates);
  }

  async #admitLog(doc: Y.Doc, updates: readonly LoggedUpdate[]): Promise<void> {
    for (const logged of updates) {
      const reason = await admitUpdate(doc, logged, fromElsewhere);
      if (reason) {
        this.#options.damaged({ where: 'server', reason, update: logged.update });
      }
    }
  }

  /** Rows whose bytes came back in the log are with the server, though its answer got lost. */
  async #acknowledgeLogged(updates: readonly LoggedUpdate[]): Promise<void> {
    const { outbox } = this.#options;
    const logged = new Set(updates.map(({ sha256 }) => sha256));
    const rows = outbox.rows.filter((row) => logged.has(row.sha256));
    if (rows.length === 0) return;
    this.#forgetFiles();
    await outbox.acknowledge(rows);
  }

  /** Runs `work`; the server's text of every file that it changed here counts as unknown. */
  async #noting<T>(work: () => Promise<T>): Promise<T> {
    const before = readFiles(this.#options.doc);
    const result = await work();
    const after = readFiles(this.#options.doc);
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(path) !== after.get(path)) this.#serverFiles.set(path, null);
    }
    return result;
  }

  async #load(project: string, since: number): Promise<LoadedDocument> {
    const { load, owner } = this.#options;
    return parseLoadedDocument(
      await this.#call((signal) => load(project, since, { owner, signal })),
    );
  }

  async #call(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(callTimeoutMs)]);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    signal.throwIfAborted();
    return Promise.race([call(signal), aborted]);
  }

  #recover(): void {
    this.#failures = 0;
    this.#trouble = undefined;
    this.#options.changed();
  }

  /** The server is an edge: whatever went wrong is told as the save state, and tried again. */
  #fail(error: unknown): void {
    const code = findErrorCode(error);
    // The server is not where it was, as after a backup was put back: read it anew.
    if (code === 'version_conflict') this.#base = undefined;
    const kind = passingTroubles.has(code) ? 'offline' : 'refused';
    this.#trouble = { kind, code, cause: error };
    if (kind === 'offline' && !this.#closing.signal.aborted) this.#retryLater();
    this.#options.changed();
  }

  #retryLater(): void {
    const seconds = limits.retrySeconds[this.#failures] ?? limits.retrySeconds.at(-1) ?? 10;
    this.#failures++;
    this.#clearTimer();
    this.#timer = setTimeout(() => void this.drain(), seconds * 1_000);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = undefined;
  }
}

function isUntouched({ store }: Y.Doc): boolean {
  return store.clients.size === 0 && store.pendingStructs === null && store.pendingDs === null;
}

/** Codes that pass by waiting; every other one is an answer about these edits. */
const passingTroubles: ReadonlySet<ErrorCode> = new Set([
  'backend_unreachable',
  'offline_saved_locally',
  'rate_limited',
  'server_unreachable',
  'too_many_attempts',
  'unexpected',
  'version_conflict',
]);

/** The longest run of one client's consecutive rows from the beginning that fits into one call. */
function nextRows(rows: readonly SendableRow[]): SendableRow[] {
  const client = rows[0]?.client;
  const run: SendableRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.update.length;
    const isFull = run.length === limits.updatesPerCall || bytes > limits.updateMaxBytes;
    const last = run.at(-1);
    if (row.client !== client || (last && (isFull || row.clientSeq !== last.clientSeq + 1))) break;
    run.push(row);
  }
  return run;
}
