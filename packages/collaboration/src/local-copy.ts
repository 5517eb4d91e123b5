import * as Y from 'yjs';
import { computeChecksum } from './checksum.ts';
import type { LocalDatabase } from './local-database.ts';
import { applyUntrustedUpdate } from './untrusted-update.ts';
import { remoteOrigin, type DamagedUpdate } from './outbox.ts';
import {
  compactRows,
  getScope,
  readStored,
  removeCopy,
  quarantine,
  type DocumentKey,
} from './stored-document.ts';

interface LocalCopyOptions {
  readonly doc: Y.Doc;
  readonly key: DocumentKey;
  /** Runs `work` with the local database. Resolves with undefined if the database fails. */
  withDatabase<T>(work: (database: LocalDatabase) => Promise<T>): Promise<T | undefined>;
  onDamaged(damage: DamagedUpdate): void;
}

/**
 * The whole state of a document stored on the device: of a draft instead of the updates it contains,
 * of a project while its updates can't be sent.
 */
export class LocalCopy {
  readonly #options: LocalCopyOptions;
  #key: DocumentKey;
  #revision = 0;

  constructor(options: LocalCopyOptions) {
    this.#options = options;
    this.#key = options.key;
  }

  /** Increases with each write; 0 while there is no copy. */
  get revision(): number {
    return this.#revision;
  }

  /** Switches to another document key, for which there is no copy yet. */
  setKey(key: DocumentKey): void {
    this.#key = key;
    this.#revision = 0;
  }

  /** Merges the stored copy into the document. Quarantines a damaged copy. */
  async merge(): Promise<void> {
    const { doc, withDatabase, onDamaged } = this.#options;
    const stored = await withDatabase((database) => readStored(database, this.#key));
    if (!stored?.copy) return;
    const { state: update, sha256, scope, revision } = stored.copy;
    const reason = await applyUntrustedUpdate(doc, { update, sha256 }, remoteOrigin, 'state');
    if (reason === undefined) {
      this.#revision = revision;
      return;
    }
    onDamaged({ where: 'device', reason, update });
    await withDatabase((database) => quarantine(database, scope, { update, sha256 }, reason));
  }

  /** Writes the copy and removes the updates it covers. False if another tab was first or it failed. */
  async write(covered: ReadonlySet<number>): Promise<boolean> {
    const key = this.#key;
    const state = Uint8Array.from(Y.encodeStateAsUpdate(this.#options.doc));
    const revision = this.#revision + 1;
    const copy = { scope: getScope(key), state, sha256: await computeChecksum(state), revision };
    const isWritten = await this.#options.withDatabase((database) =>
      compactRows(database, copy, covered, key),
    );
    if (isWritten) this.#revision = revision;
    return isWritten === true;
  }

  async remove(): Promise<void> {
    this.#revision = 0;
    await this.#options.withDatabase((database) => removeCopy(database, getScope(this.#key)));
  }
}
