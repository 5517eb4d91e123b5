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
  /** Undefined where the device refuses. */
  onDevice<T>(work: (device: Device) => Promise<T>): Promise<T | undefined>;
  damaged(damage: DamagedUpdate): void;
}

/**
 * The whole of a document in one piece on the device: of a draft in the place of its rows, of a
 * project while it cannot be sent.
 */
export class DeviceCopy {
  readonly #options: DeviceCopyOptions;
  #place: Place;
  #revision = 0;

  constructor(options: DeviceCopyOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  /** Grows with each writing; 0 while there is no copy. */
  get revision(): number {
    return this.#revision;
  }

  /** The document is another one's from now on, of which there is no copy. */
  moveTo(place: Place): void {
    this.#place = place;
    this.#revision = 0;
  }

  /** Merges what there is into the document; what is damaged is put aside. */
  async take(): Promise<void> {
    const { doc, onDevice, damaged } = this.#options;
    const stored = await onDevice((device) => readStored(device, this.#place));
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

  /** Writes it in the place of these rows. False where another tab was first, or the device refuses. */
  async write(covered: ReadonlySet<number>): Promise<boolean> {
    const place = this.#place;
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
    await this.#options.onDevice((device) => removeCopy(device, placeScope(this.#place)));
  }
}
