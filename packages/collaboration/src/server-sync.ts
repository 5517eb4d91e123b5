import {
  changesPaths,
  documentFormat,
  findErrorCode,
  hasSamePaths,
  isSameFile,
  limits,
  readFiles,
  VitrineError,
  type ErrorCode,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import * as Y from 'yjs';
import { computeChecksum } from './checksum.ts';
import { Emitter } from './emitter.ts';
import { applyUntrustedUpdate, type UpdateWithChecksum } from './untrusted-update.ts';
import {
  remoteOrigin,
  serverOrigin,
  type DamagedUpdate,
  type Outbox,
  type OutboxRow,
} from './outbox.ts';
import type { TabChannel } from './tab-channel.ts';
import {
  encodeBytes,
  parseAppendResponse,
  parseLoadedDocument,
  toWireFile,
  type AppendUpdatesArgs,
  type LoadDocument,
  type LoadedDocument,
  type LoggedUpdate,
  type SavedResponse,
  type SendUpdates,
} from './server-messages.ts';

/** Debounce of sending: edits are sent after this pause in typing. */
const debounceMs = 350;
/** Maximum delay before sending. The rest of `serverSaveDelayMs` is for the local write. */
const maxDelayMs = limits.serverSaveDelayMs * 0.9;
/** Minimum pause between retries of a rejected save. An edit may have fixed its cause. */
const rejectedRetryMs = 10_000;
/** A call without a response counts as failed after this time. Calls are idempotent. */
const callTimeoutMs = 30_000;

/** Why sending fails at the moment. `rejected`: the server responded with an error. */
export interface SendFailure {
  readonly kind: 'offline' | 'rejected';
  readonly code: ErrorCode;
  /** The thrown value, for the error details. */
  readonly cause: unknown;
}

interface ServerSyncOptions {
  readonly project: string;
  readonly owner: string;
  readonly doc: Y.Doc;
  readonly outbox: Outbox;
  readonly send: SendUpdates;
  readonly load: LoadDocument;
}

type ServerSyncEvent =
  /** Sending has failed, or works again. */
  { readonly type: 'changed' } | { readonly type: 'damaged'; readonly damage: DamagedUpdate };

/**
 * Synchronizes a project with the server: sends its outbox in order and loads updates of others.
 *
 * The server has a log of updates with sequence numbers. `base` is the last one that this document
 * contains. The server accepts updates only if `base` is its last number, together with the content of
 * the changed files, so that its stored files always match its log. A client that is behind gets the
 * missing updates, merges them and sends again.
 */
export class ServerSync extends Emitter<ServerSyncEvent> {
  readonly #options: ServerSyncOptions;
  readonly #closing = new AbortController();
  /** Undefined until the document was loaded: the local copy may be older than the server's. */
  #base: number | undefined;
  /**
   * Set when the document was loaded from an earlier response or another tab has sent updates.
   * Cleared when later updates have been loaded from the server.
   */
  #isStale = false;
  /** Files that the server may have by path; null if the content isn't known for certain. */
  #serverFiles = new Map<string, ProjectFile | null>();
  /** Number of transactions of this user, in any tab, that have added, renamed or removed files. */
  #pathChanges = 0;
  /** `#pathChanges` when the server last had all of them. */
  #savedPathChanges = 0;
  #failure: SendFailure | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Deadline for sending the oldest pending edit, on the clock of `performance.now()`. */
  #dueAt: number | undefined;
  #sending: Promise<void> | undefined;
  /** Queue that serializes sending and loading. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();

  /** Set by `start`. */
  #tabChannel: TabChannel | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: ServerSyncOptions) {
    super();
    this.#options = options;
    options.doc.on('afterTransaction', this.#countPathChanges);
  }

  /** Sends what is pending, and from now on what is added to the outbox. */
  start(tabChannel: TabChannel): void {
    this.#tabChannel = tabChannel;
    this.#unsubscribe = this.#options.outbox.subscribe(({ type }) => {
      if (type === 'recorded') this.schedule();
      if (type === 'sent-by-other-tab') this.#handleSentByOtherTab();
    });
    if (!this.#options.outbox.isEmpty || this.#isStale) void this.flush();
  }

  get failure(): SendFailure | undefined {
    return this.#failure;
  }

  /** Starts from a state that the server is known to have. */
  startFrom(base: number, files: ReadonlyMap<string, ProjectFile | null>): void {
    this.#base = base;
    this.#serverFiles = new Map(files);
  }

  /** Schedules sending: within a second, or after the pause that follows a failure. */
  schedule(): void {
    if (this.#failure) {
      const pause = this.#failure.kind === 'rejected' ? rejectedRetryMs : maxDelayMs;
      this.#timer ??= setTimeout(() => void this.flush(), pause);
      return;
    }
    const now = performance.now();
    this.#dueAt ??= now + maxDelayMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), Math.min(debounceMs, this.#dueAt - now));
  }

  /**
   * Sends all pending updates now, after loading updates of others. Resolves when they are
   * acknowledged or sending has failed.
   */
  async flush(): Promise<void> {
    this.#clearTimer();
    if (this.#sending) {
      await this.#sending;
      // The running call doesn't include updates that were written since it started.
      if (this.#failure || this.#options.outbox.isEmpty) return;
      this.#clearTimer();
    }
    this.#sending ??= this.#sendExclusively().finally(() => (this.#sending = undefined));
    await this.#sending;
  }

  /**
   * Loads the whole document from the server, or uses an earlier response, and merges it. Rejects
   * like `load`.
   */
  async load(earlierResponse?: unknown): Promise<void> {
    const { doc, project } = this.#options;
    this.#isStale = earlierResponse !== undefined;
    const loaded = this.#isStale
      ? parseLoadedDocument(earlierResponse)
      : await this.#load(project, 0);
    const serverDoc = isEmptyDoc(doc) ? doc : new Y.Doc();
    await this.#applyDocument(serverDoc, loaded);
    this.#mergeDocument(serverDoc, loaded);
    await this.#acknowledgeLogged(loaded.updates);
  }

  /** Loads the server's document and returns the update it is missing. Rejects like `load`. */
  async loadMissingUpdate(): Promise<Uint8Array> {
    const { doc, project } = this.#options;
    const loaded = await this.#load(project, 0);
    const serverDoc = new Y.Doc();
    await this.#applyDocument(serverDoc, loaded);
    this.#mergeDocument(serverDoc, loaded);
    return Y.encodeStateAsUpdate(doc, Y.encodeStateVector(serverDoc));
  }

  #mergeDocument(serverDoc: Y.Doc, loaded: LoadedDocument): void {
    const { doc } = this.#options;
    this.startFrom(loaded.seq, findServerFiles(serverDoc, loaded));
    if (serverDoc !== doc) Y.applyUpdate(doc, Y.encodeStateAsUpdate(serverDoc), serverOrigin);
    if (hasSamePaths(doc, serverDoc)) this.#savedPathChanges = this.#pathChanges;
    else this.#pathChanges += 1;
  }

  /** Loads updates of others since `base`. Rejects like `load`. */
  async #pull(): Promise<void> {
    // Merged with unsaved path changes, updates don't tell which paths the server has: it may have
    // one that this document never had, such as the name that a file got from another user at the
    // same time.
    if (this.#base === undefined || this.#hasUnsavedPaths) return this.load();
    const loaded = await this.#load(this.#options.project, this.#base);
    // The loaded updates may be in this document already, if another tab has sent them.
    if (this.#isStale) this.#markFilesUnknown();
    await this.#trackChanges(() => this.#applyDocument(this.#options.doc, loaded));
    await this.#acknowledgeLogged(loaded.updates);
    this.#base = loaded.seq;
    this.#isStale = false;
  }

  /**
   * Loads updates of others unless the document contains them up to `upTo`. Rejects like `load`.
   */
  async catchUp(upTo = Infinity): Promise<void> {
    await this.#runInQueue(async () => {
      if (this.#isStale || (this.#base ?? 0) < upTo) await this.#pull();
    });
  }

  /** Validates and applies an update. The server's content of files it changes counts as unknown. */
  async applyRemoteUpdate(update: UpdateWithChecksum): Promise<string | undefined> {
    return this.#trackChanges(() => applyUntrustedUpdate(this.#options.doc, update, remoteOrigin));
  }

  close(): void {
    this.#options.doc.off('afterTransaction', this.#countPathChanges);
    this.#unsubscribe?.();
    this.clear();
    this.#clearTimer();
    this.#closing.abort(new VitrineError('backend_unreachable', 'the document was closed'));
  }

  /** Another tab has sent updates, merged with those of others, which must be loaded. */
  #handleSentByOtherTab(): void {
    this.#markFilesUnknown();
    this.#isStale = true;
    this.schedule();
  }

  /**
   * Marks the server's content of every file as unknown. It may contain edits of this document. If
   * those are undone here, a comparison with the last known content would miss the change.
   */
  #markFilesUnknown(): void {
    for (const path of this.#serverFiles.keys()) this.#serverFiles.set(path, null);
  }

  #countPathChanges = (transaction: Y.Transaction): void => {
    if (transaction.origin !== serverOrigin && changesPaths(transaction)) this.#pathChanges += 1;
  };

  get #hasUnsavedPaths(): boolean {
    return this.#pathChanges !== this.#savedPathChanges;
  }

  async #sendExclusively(): Promise<void> {
    const { outbox } = this.#options;
    await this.#tabChannel?.runExclusively(async () => {
      await outbox.syncFromDatabase();
      try {
        await this.#runInQueue(async () => {
          outbox.commit();
          const last = outbox.rows.at(-1);
          const isLeft = () => last !== undefined && outbox.rows.includes(last);
          // Edits made meanwhile are left for the next save, since each one sends whole files.
          while ((await this.#sendNext()) && isLeft());
        });
        this.#recover();
      } catch (error) {
        this.#fail(error);
      }
    });
    if (!outbox.isEmpty && !this.#failure) this.schedule();
  }

  /** Serializes sending and loading: both change what is known about the server's files. */
  async #runInQueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    await done;
  }

  /** Makes one call to the server. Returns false if there was nothing to send. */
  async #sendNext(): Promise<boolean> {
    const { outbox, doc } = this.#options;
    if (this.#base === undefined) await this.load();
    if (this.#isStale) await this.#pull();
    outbox.commit();
    // Read in the same tick as the commit: the text contains exactly the edits in the rows.
    const files = readFiles(doc);
    const pathChanges = this.#pathChanges;
    const rows = takeNextRows(outbox.rows);
    if (rows.length === 0) return false;
    await outbox.whenWritten();
    const response = parseAppendResponse(await this.#send(rows, files));
    if (response.status === 'behind') await this.#mergeMissing(response.seq, response.updates);
    else {
      if (!response.isDuplicate) this.#savedPathChanges = pathChanges;
      await this.#accept(response, rows, files);
    }
    return true;
  }

  #send(rows: readonly OutboxRow[], files: ProjectFiles): Promise<unknown> {
    const { project, owner, send } = this.#options;
    const changed = [...files].filter(
      ([path, file]) => !isSameFile(this.#serverFiles.get(path) ?? undefined, file),
    );
    const removed = [...this.#serverFiles.keys()].filter((path) => !files.has(path));
    // The server may save them and its response be lost.
    for (const [path] of changed) this.#serverFiles.set(path, null);
    const call: AppendUpdatesArgs = {
      project,
      client: rows[0]?.client ?? '',
      base: this.#base ?? 0,
      updates: rows.map(({ clientSeq, update, sha256 }) => ({
        client_seq: clientSeq,
        update: encodeBytes(update),
        sha256,
      })),
      changed: changed.map(([path, file]) => toWireFile(path, file)),
      removed,
      format: documentFormat,
    };
    return this.#call((signal) => send(call, { owner, signal }));
  }

  async #accept(
    { seq, isDuplicate }: SavedResponse,
    rows: readonly OutboxRow[],
    files: ProjectFiles,
  ): Promise<void> {
    const expected = (this.#base ?? 0) + rows.length;
    // For updates it had already stored, the server ignores the files, which may be outdated.
    if (isDuplicate) this.#markFilesUnknown();
    else this.#serverFiles = new Map(files);
    await this.#options.outbox.acknowledge(rows);
    this.#tabChannel?.broadcast({ type: 'acknowledged' });
    // A different number means that the rows were stored before, and others' updates may be between.
    if (seq === expected) this.#base = seq;
    else await this.#pull();
  }

  async #mergeMissing(seq: number, updates: readonly LoggedUpdate[]): Promise<void> {
    const base = this.#base ?? 0;
    if (seq <= base)
      throw new VitrineError('version_conflict', `behind ${seq}, which is already loaded`);
    const complete = updates.length === seq - base;
    if (!complete || this.#hasUnsavedPaths) return this.#pull();
    await this.#trackChanges(() => this.#applyLog(this.#options.doc, updates));
    await this.#acknowledgeLogged(updates);
    this.#base = seq;
  }

  async #applyDocument(doc: Y.Doc, { state, updates }: LoadedDocument): Promise<void> {
    if (state) {
      const { update, sha256 = await computeChecksum(state.update) } = state;
      const reason = await applyUntrustedUpdate(doc, { update, sha256 }, serverOrigin, 'state');
      // Without its state the document would be empty, and would be saved like that.
      if (reason) throw new VitrineError('unexpected', `the stored document is damaged: ${reason}`);
    }
    await this.#applyLog(doc, updates);
  }

  async #applyLog(doc: Y.Doc, updates: readonly LoggedUpdate[]): Promise<void> {
    for (const logged of updates) {
      const reason = await applyUntrustedUpdate(doc, logged, serverOrigin);
      if (reason) {
        const damage = { where: 'server', reason, update: logged.update } as const;
        this.emit({ type: 'damaged', damage });
      }
    }
  }

  /** Acknowledges rows that are in the server's log because an earlier response was lost. */
  async #acknowledgeLogged(updates: readonly LoggedUpdate[]): Promise<void> {
    const { outbox } = this.#options;
    const logged = new Set(updates.map(({ sha256 }) => sha256));
    const rows = outbox.rows.filter((row) => logged.has(row.sha256));
    if (rows.length === 0) return;
    this.#markFilesUnknown();
    await outbox.acknowledge(rows);
  }

  /** Runs `work`, then marks the server's content of every file that it changed as unknown. */
  async #trackChanges<T>(work: () => Promise<T>): Promise<T> {
    const before = readFiles(this.#options.doc);
    const result = await work();
    const after = readFiles(this.#options.doc);
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      if (!isSameFile(before.get(path), after.get(path))) this.#serverFiles.set(path, null);
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
    this.#failure = undefined;
    this.emit({ type: 'changed' });
  }

  /** Reports a failure in the save state and schedules a retry. */
  #fail(error: unknown): void {
    const code = findErrorCode(error);
    // The server's log has changed, for example after a backup was restored: load it again.
    if (code === 'version_conflict') this.#base = undefined;
    const kind = temporaryFailures.has(code) ? 'offline' : 'rejected';
    this.#failure = { kind, code, cause: error };
    if (kind === 'offline' && !this.#closing.signal.aborted) this.#retryLater();
    this.emit({ type: 'changed' });
  }

  #retryLater(): void {
    const seconds = limits.retrySeconds[this.#failures] ?? limits.retrySeconds.at(-1) ?? 10;
    this.#failures++;
    this.#clearTimer();
    this.#timer = setTimeout(() => void this.flush(), seconds * 1_000);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = undefined;
  }
}

function isEmptyDoc({ store }: Y.Doc): boolean {
  return store.clients.size === 0 && store.pendingStructs === null && store.pendingDs === null;
}

/**
 * Files of the server's document as the server has saved them. An older build that sent updates of
 * this one, from the outbox that they share, has not saved their assets: those count as unknown, so
 * that they are saved with the next edit.
 */
function findServerFiles(doc: Y.Doc, { assets }: LoadedDocument): Map<string, ProjectFile | null> {
  const files = new Map<string, ProjectFile | null>(readFiles(doc));
  for (const [path, file] of files) {
    if (file?.kind === 'asset' && !isSameFile(file, assets.get(path))) files.set(path, null);
  }
  for (const [path, asset] of assets) {
    if (!isSameFile(files.get(path) ?? undefined, asset)) files.set(path, null);
  }
  return files;
}

/** Codes of temporary failures. Every other one is about the sent updates. */
const temporaryFailures: ReadonlySet<ErrorCode> = new Set([
  'backend_unreachable',
  'offline_saved_locally',
  'rate_limited',
  'server_unreachable',
  'too_many_attempts',
  'unexpected',
  'version_conflict',
]);

/** Returns the longest prefix of consecutive rows of one client that fits into one call. */
function takeNextRows(rows: readonly OutboxRow[]): OutboxRow[] {
  const client = rows[0]?.client;
  const batch: OutboxRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.update.length;
    const isFull = batch.length === limits.updatesPerCall || bytes > limits.updateMaxBytes;
    const last = batch.at(-1);
    if (row.client !== client || (last && (isFull || row.clientSeq !== last.clientSeq + 1))) break;
    batch.push(row);
  }
  return batch;
}
