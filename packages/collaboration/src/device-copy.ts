import * as Y from 'yjs';
import { checksum } from './checksum.ts';
import type { Device } from './device.ts';
import { admitUpdate } from './gate.ts';
import { fromElsewhere, type DamagedUpdate } from './outbox.ts';
import {
  foldRows,
  placeScope,
  readStored,
  removeCopy,
  setAside,
  type Place,
} from './stored-document.ts';

export interface DeviceCopyOptions {
  readonly doc: Y.Doc;
  readonly place: Place;
  /** Runs `work` with the local database. Resolves with undefined if the database fails. */
  onDevice<T>(work: (device: Device) => Promise<T>): Promise<T | undefined>;
  damaged(damage: DamagedUpdate): void;
}

/**
 * The whole state of a document stored on the device: of a draft instead of the updates it contains,
 * of a project while its updates can't be sent.
 */
export class DeviceCopy {
  readonly #options: DeviceCopyOptions;
  #key: Place;
  #revision = 0;

  constructor(options: DeviceCopyOptions) {
    this.#options = options;
    this.#key = options.place;
  }

  /** Increases with each write; 0 while there is no copy. */
  get revision(): number {
    return this.#revision;
  }

  /** Switches to another document key, for which there is no copy yet. */
  moveTo(place: Place): void {
    this.#key = place;
    this.#revision = 0;
  }

  /** Merges the stored copy into the document. Quarantines a damaged copy. */
  async take(): Promise<void> {
    const { doc, onDevice, damaged } = this.#options;
    const stored = await onDevice((device) => readStored(device, this.#key));
    if (!stored?.copy) return;
    const { state: update, sha256, scope, revision } = stored.copy;
    const reason = await admitUpdate(doc, { update, sha256 }, fromElsewhere, 'state');
    if (reason === undefined) {
      this.#revision = revision;
      return;
    }
    damaged({ where: 'device', reason, update });
    await onDevice((device) => setAside(device, scope, { update, sha256 }, reason));
  }

  /** Writes the copy and removes the updates it covers. False if another tab was first or it failed. */
  async write(covered: ReadonlySet<number>): Promise<boolean> {
    const place = this.#key;
    const state = Uint8Array.from(Y.encodeStateAsUpdate(this.#options.doc));
    const revision = this.#revision + 1;
    const copy = { scope: placeScope(place), state, sha256: await checksum(state), revision };
    const isWritten = await this.#options.onDevice((device) =>
      foldRows(device, copy, covered, place),
    );
    if (isWritten) this.#revision = revision;
    return isWritten === true;
  }

  async remove(): Promise<void> {
    this.#revision = 0;
    await this.#options.onDevice((device) => removeCopy(device, placeScope(this.#key)));
  }
}
