import { limits } from '@vitrine/project';
import * as Y from 'yjs';
import { checksum } from './checksum.ts';
import type { Device, StoredRow } from './device.ts';
import { admitUpdate, type CheckedUpdate } from './gate.ts';
import {
  addRows,
  placeScope,
  readStored,
  removeRows,
  setAside,
  type Place,
} from './stored-document.ts';

/** The origin of every change that came from elsewhere and must not be recorded as one's own. */
export const fromElsewhere = Symbol('from elsewhere');

/** Edits gather this long before they are written: with the write itself, inside `keepOnDeviceMs`. */
const gatherMs = limits.keepOnDeviceMs * 0.4;

/** What did not pass the gate, for export; the document goes on without it. */
export interface DamagedUpdate {
  readonly where: 'device' | 'server';
  readonly reason: string;
  readonly update: Uint8Array;
}

export interface OutboxOptions {
  readonly doc: Y.Doc;
  readonly device: Device;
  readonly place: Place;
  /** The id under which this tab's edits are numbered; never used twice. */
  readonly client: string;
  /** Something that the save state depends on is different now. */
  readonly changed: () => void;
  /** These edits are on the device now. */
  readonly written: (updates: readonly CheckedUpdate[]) => void;
  /** Another tab has got edits that were here acknowledged, at a moment that this one does not know. */
  readonly sentElsewhere: () => void;
  readonly damaged: (damage: DamagedUpdate) => void;
}

interface Row {
  readonly client: string;
  readonly clientSeq: number;
  readonly update: Uint8Array<ArrayBuffer>;
  /** Both are known once the row is written, or when that failed. */
  sha256: string;
  n: number | undefined;
}

export type SendableRow = Readonly<Row>;

/**
 * The edits of a document that are not known to be with the server, in memory and on the device:
 * this tab's own, and those that other tabs and earlier visits left there. For a draft they are its
 * text, since its last folding.
 */
export class Outbox {
  #options: OutboxOptions;
  /** Updates since the last cut; they become one row, or a few when they are large. */
  #gathered: Uint8Array[] = [];
  /** In the order of sending; left when acknowledged or folded. */
  #rows: Row[] = [];
  #nextSeq = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /**
   * Reading rows from the device and removing them there take turns: what is read may not come in
   * after it was acknowledged. Never rejects.
   */
  #turn: Promise<void> = Promise.resolve();
  #deviceError: unknown;
  /** Clients of whom a row was damaged: the server takes nothing of theirs beyond the hole. */
  readonly #holed = new Set<string>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#gathered.length === 0 && this.#rows.length === 0;
  }

  /** True when every edit made in this tab is on the disk of this device. */
  get isWritten(): boolean {
    return this.#gathered.length === 0 && this.#rows.every((row) => row.n !== undefined);
  }

  /** Why the last write to the device failed; undefined while it works. */
  get deviceError(): unknown {
    return this.#deviceError;
  }

  get rows(): readonly SendableRow[] {
    return this.#rows;
  }

  /** Takes an edit of this tab; it is written within `keepOnDeviceMs`. */
  record(update: Uint8Array): void {
    this.#gathered.push(update);
    this.#timer ??= setTimeout(() => this.cut(), gatherMs);
    this.#options.changed();
  }

  /** Makes rows of what has gathered and begins to write them. */
  cut(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const update of mergeWithin(limits.updateMaxBytes, this.#gathered.splice(0))) {
      const clientSeq = this.#nextSeq++;
      this.#rows.push({
        client: this.#options.client,
        clientSeq,
        update,
        sha256: '',
        n: undefined,
      });
    }
    if (!this.isWritten) this.#writing = this.#writing.then(() => this.#write());
  }

  /** Resolves when every row cut so far is on the device, or could not be put there. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /**
   * Brings in what other tabs and earlier visits left on the device, and lets go of what another tab
   * has got acknowledged. Resolves also when the device cannot be read.
   */
  takeFromDevice(): Promise<void> {
    return (this.#turn = this.#turn.then(() => this.#readDevice()));
  }

  /** Forgets rows that the server has. Their bytes leave the device too. */
  acknowledge(rows: readonly SendableRow[]): Promise<void> {
    return (this.#turn = this.#turn.then(() => this.#remove(rows)));
  }

  /** Forgets rows in memory; the device is somebody else's matter. */
  forget(rows: readonly SendableRow[]): void {
    const gone = new Set(rows);
    this.#rows = this.#rows.filter((row) => !gone.has(row));
    this.#options.changed();
  }

  /** Forgets rows that the device itself no longer holds as rows. */
  drop(numbers: ReadonlySet<number>): void {
    this.#rows = this.#rows.filter((row) => row.n === undefined || !numbers.has(row.n));
    this.#options.changed();
  }

  /** The device is an edge: whatever is wrong with it, typing and sending go on from memory. */
  noteDeviceError(error: unknown): void {
    this.#deviceError = error;
    this.#options.changed();
  }

  /** From now on rows are written as this place's. */
  moveTo(place: Place): void {
    this.#options = { ...this.#options, place };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #readDevice(): Promise<void> {
    const { device, place, sentElsewhere } = this.#options;
    const known = writtenNumbers(this.#rows);
    try {
      const { rows } = await readStored(device, place);
      for (const row of rows) if (row.n !== undefined) known.delete(row.n);
      if (known.size > 0) sentElsewhere();
      this.drop(known);
      for (const row of rows) await this.#take(row);
    } catch (error) {
      this.noteDeviceError(error);
    }
    this.#options.changed();
  }

  async #remove(rows: readonly SendableRow[]): Promise<void> {
    this.forget(rows);
    try {
      await removeRows(this.#options.device, writtenNumbers(rows));
    } catch (error) {
      // They stay on the device and are sent once more some day, which changes nothing there.
      this.noteDeviceError(error);
    }
  }

  async #take(stored: StoredRow): Promise<void> {
    if (stored.n === undefined || this.#rows.some((row) => isSameRow(row, stored))) return;
    const { doc, device, place, damaged } = this.#options;
    const reason = await admitUpdate(doc, stored, fromElsewhere);
    if (reason !== undefined) {
      this.#holed.add(stored.client);
      damaged({ where: 'device', reason, update: stored.update });
      return setAside(device, placeScope(place), stored, reason);
    }
    if (this.#holed.has(stored.client)) return this.#takeOver(stored, stored.n);
    this.#rows.push({ ...stored, n: stored.n });
    this.#rows.sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity));
  }

  /** Makes another client's row one of this tab's; were it there already, twice is as good as once. */
  async #takeOver({ update }: StoredRow, n: number): Promise<void> {
    this.record(update);
    this.cut();
    await this.settled();
    if (this.isWritten) await removeRows(this.#options.device, [n]);
  }

  async #write(): Promise<void> {
    const { device, place, changed, written } = this.#options;
    const rows = this.#rows.filter((row) => row.n === undefined);
    for (const row of rows) row.sha256 ||= await checksum(row.update);
    const scope = placeScope(place);
    try {
      const stored = await addRows(
        device,
        place,
        rows.map(({ client, clientSeq, update, sha256 }) => ({
          scope,
          client,
          clientSeq,
          update,
          sha256,
        })),
      );
      for (const [index, row] of rows.entries()) row.n = stored[index]?.n;
      this.#deviceError = undefined;
      written(rows);
    } catch (error) {
      this.noteDeviceError(error);
    }
    changed();
  }
}

export function writtenNumbers(rows: readonly SendableRow[]): Set<number> {
  return new Set(rows.flatMap((row) => row.n ?? []));
}

function isSameRow(a: { client: string; clientSeq: number }, b: typeof a): boolean {
  return a.client === b.client && a.clientSeq === b.clientSeq;
}

/** Merges neighbours as long as the result stays small enough to be taken in. */
function mergeWithin(maxBytes: number, updates: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const groups: Uint8Array[][] = [];
  let bytes = Infinity;
  for (const update of updates) {
    bytes += update.length;
    if (bytes > maxBytes / 2) {
      groups.push([]);
      bytes = update.length;
    }
    groups.at(-1)?.push(update);
  }
  return groups.map((group) => Uint8Array.from(Y.mergeUpdates(group)));
}
