import { documentFromFiles, findTitleProblem, VitrineError } from '@vitrine/project';
import * as Y from 'yjs';
import { checksum } from './checksum.ts';
import {
  compactId,
  defaultDatabase,
  draftScope,
  openDevice,
  type Device,
  type DeviceTransaction,
  type DraftRecord,
} from './device.ts';
import { newId } from './ids.ts';

/** A draft as lists show it. */
export interface Draft {
  /** 32 hexadecimal digits; as a uuid it is the key under which the draft becomes a project. */
  readonly id: string;
  readonly title: string;
  /** True for a draft made before signing in, which whoever is here may claim. */
  readonly isUnclaimed: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly forkedFrom: string | null;
}

export interface NewDraft {
  readonly title: string;
  readonly files: Iterable<readonly [path: string, content: string]>;
  /** The uuid of the project that this is a fork of. */
  readonly forkedFrom?: string;
}

/**
 * The drafts on this device that this person may see: their own, and those made before signing in.
 * Every call rejects with `not_kept` where the device keeps nothing; `openDocument` with `initial`
 * still works there, in memory.
 */
export interface DraftStore {
  /** The latest edited first. */
  list(): Promise<Draft[]>;
  create(draft: NewDraft): Promise<Draft>;
  /** Throws `title_required` or `not_found_or_private`. */
  rename(id: string, title: string): Promise<void>;
  /** Removes a draft with all its text. */
  remove(id: string): Promise<void>;
  /** Makes drafts that belong to nobody this person's. */
  claim(ids: readonly string[]): Promise<void>;
}

export function openDraftStore(options: {
  /** The user id of who is signed in. */
  readonly owner: string | null;
  readonly database?: string;
}): DraftStore {
  const { owner } = options;
  const device = guarded(openDevice(options.database ?? defaultDatabase));
  const isVisible = (draft: DraftRecord) =>
    (draft.owner === null || draft.owner === owner) && draft.becameProjectOf === undefined;

  /** Runs `work` in one transaction with a draft this person may see; others are not found. */
  async function change(
    id: string,
    work: (transaction: DeviceTransaction, draft: DraftRecord) => Promise<unknown>,
  ): Promise<void> {
    const isFound = await device.run(async (transaction) => {
      const draft = await transaction.objectStore('drafts').get(compactId(id));
      if (!draft || !isVisible(draft)) return false;
      await work(transaction, draft);
      return true;
    });
    if (!isFound) throw new VitrineError('not_found_or_private', `draft ${id}`);
  }

  return {
    async list() {
      const drafts = await device.run((transaction) => transaction.objectStore('drafts').getAll());
      return drafts.filter(isVisible).map(toDraft).sort(byLastEdit);
    },

    async create(draft) {
      const record = draftRecord(newId(), owner, draft);
      const state = Uint8Array.from(Y.encodeStateAsUpdate(documentFromFiles(draft.files)));
      const sha256 = await checksum(state);
      await device.run(async (transaction) => {
        const scope = draftScope(record.id);
        await transaction.objectStore('copies').put({ scope, state, sha256, revision: 1 });
        await transaction.objectStore('drafts').put(record);
      });
      return toDraft(record);
    },

    async rename(id, title) {
      if (findTitleProblem(title)) throw new VitrineError('title_required');
      await change(id, (transaction, draft) =>
        transaction.objectStore('drafts').put({ ...draft, title, updatedAt: Date.now() }),
      );
    },

    async remove(id) {
      await change(id, async (transaction) => {
        const outbox = transaction.objectStore('outbox');
        for (const n of await outbox.index('scope').getAllKeys(draftScope(id))) {
          await outbox.delete(n);
        }
        await transaction.objectStore('copies').delete(draftScope(id));
        await transaction.objectStore('drafts').delete(compactId(id));
      });
    },

    async claim(ids) {
      for (const id of ids) {
        await change(id, (transaction, draft) =>
          transaction.objectStore('drafts').put({ ...draft, owner }),
        );
      }
    },
  };
}

/** The record of a new draft. Throws `title_required`. */
export function draftRecord(id: string, owner: string | null, draft: NewDraft): DraftRecord {
  if (findTitleProblem(draft.title)) throw new VitrineError('title_required');
  const now = Date.now();
  return {
    id: compactId(id),
    owner,
    title: draft.title,
    createdAt: now,
    updatedAt: now,
    forkedFrom: draft.forkedFrom ?? null,
  };
}

function guarded(device: Device): Device {
  return {
    async run(work) {
      try {
        return await device.run(work);
      } catch (cause) {
        throw new VitrineError('not_kept', String(cause), { cause });
      }
    },
  };
}

function toDraft({ id, owner, title, createdAt, updatedAt, forkedFrom }: DraftRecord): Draft {
  return {
    id,
    title,
    isUnclaimed: owner === null,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    forkedFrom,
  };
}

function byLastEdit(a: Draft, b: Draft): number {
  return b.updatedAt.getTime() - a.updatedAt.getTime();
}
