import {
  createDocumentFromFiles,
  validateTitle,
  readFiles,
  VitrineError,
  type FileContent,
  type ProjectFile,
} from '@vitrine/project';
import * as Y from 'yjs';
import { computeChecksum } from './checksum.ts';
import {
  normalizeId,
  defaultDatabaseName,
  getDraftScope,
  openLocalDatabase,
  type LocalDatabase,
  type LocalTransaction,
  type DraftRecord,
} from './local-database.ts';
import { applyUntrustedUpdate } from './untrusted-update.ts';
import { createId } from './ids.ts';
import { readStored } from './stored-document.ts';

/** A draft in a list. */
export interface Draft {
  /** 32 hex digits. As a uuid, the idempotency key for converting the draft to a project. */
  readonly id: string;
  readonly title: string;
  /** True for a draft made before signing in, which any user of this browser may claim. */
  readonly isUnclaimed: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly forkedFrom: string | null;
  /** Number of the version of that project, if it was forked from one. */
  readonly forkedFromVersion: number | null;
}

export interface NewDraft {
  readonly title: string;
  readonly files: Iterable<readonly [path: string, content: FileContent]>;
  /** The uuid of the project that this is a fork of. */
  readonly forkedFrom?: string;
  /** Number of the version of that project, if this is a fork of one. */
  readonly forkedFromVersion?: number;
}

/** Unsaved changes in a list, to a project that the user may not save to. */
export interface UnsavedChangesEntry {
  readonly id: string;
  /** The project's uuid. */
  readonly project: string;
  /** The project's slug. */
  readonly slug: string;
  /** The project's title at the time of the first change. */
  readonly title: string;
  readonly updatedAt: Date;
}

/**
 * The drafts on this device that the user may see: their own, and those made before signing in.
 * Every call rejects with `not_kept` if the device can't store data. `openDocument` with `initialDraft`
 * still works then, in memory.
 */
export interface DraftStore {
  /** Lists drafts, most recently edited first. */
  list(): Promise<Draft[]>;
  create(draft: NewDraft): Promise<Draft>;
  /** Throws `title_required` or `not_found_or_private`. */
  rename(id: string, title: string): Promise<void>;
  /** Removes a draft or unsaved changes. Resolves with a function that restores them. */
  remove(id: string): Promise<() => Promise<void>>;
  /** Assigns unclaimed drafts to this user. */
  claim(ids: readonly string[]): Promise<void>;
  /** Lists unsaved changes to projects, most recently edited first. */
  listUnsavedChanges(): Promise<UnsavedChangesEntry[]>;
  /** Reads the files of a draft or of unsaved changes by path. Skips damaged updates. */
  readFiles(id: string): Promise<Map<string, ProjectFile>>;
  /** Converts unsaved changes to a draft of this user, a fork of the project. */
  convertToDraft(id: string): Promise<void>;
}

export function openDraftStore(options: {
  /** The id of the signed-in user. */
  readonly owner: string | null;
  readonly database?: string;
}): DraftStore {
  const { owner } = options;
  const database = withStorageErrors(openLocalDatabase(options.database ?? defaultDatabaseName));
  const isVisible = (draft: DraftRecord) =>
    (draft.owner === null || draft.owner === owner) && draft.becameProjectOf === undefined;

  async function readAll(): Promise<DraftRecord[]> {
    const drafts = await database.run((transaction) => transaction.objectStore('drafts').getAll());
    return drafts.filter(isVisible);
  }

  /** Runs `work` in one transaction with a draft. Throws `not_found_or_private` for invisible ones. */
  async function updateDraft(
    id: string,
    work: (transaction: LocalTransaction, draft: DraftRecord) => Promise<unknown>,
  ): Promise<void> {
    const isFound = await database.run(async (transaction) => {
      const draft = await transaction.objectStore('drafts').get(normalizeId(id));
      if (!draft || !isVisible(draft)) return false;
      await work(transaction, draft);
      return true;
    });
    if (!isFound) throw new VitrineError('not_found_or_private', `draft ${id}`);
  }

  return {
    async list() {
      const drafts = await readAll();
      return drafts
        .filter(({ unsavedOf }) => !unsavedOf)
        .map(toDraft)
        .sort(byLastEdit);
    },

    async listUnsavedChanges() {
      return (await readAll()).flatMap(toUnsavedChanges).sort(byLastEdit);
    },

    async readFiles(id) {
      const { copy, rows } = await readStored(database, { kind: 'draft', id });
      const doc = new Y.Doc();
      if (copy)
        await applyUntrustedUpdate(doc, { ...copy, update: copy.state }, undefined, 'state');
      for (const row of rows) await applyUntrustedUpdate(doc, row, undefined);
      return readFiles(doc);
    },

    async convertToDraft(id) {
      await updateDraft(id, (transaction, draft) => {
        const { unsavedOf: _, ...record } = draft;
        return transaction.objectStore('drafts').put({ ...record, owner });
      });
    },

    async create(draft) {
      const record = createDraftRecord(createId(), owner, draft);
      const state = Uint8Array.from(Y.encodeStateAsUpdate(createDocumentFromFiles(draft.files)));
      const sha256 = await computeChecksum(state);
      await database.run(async (transaction) => {
        const scope = getDraftScope(record.id);
        await transaction.objectStore('copies').put({ scope, state, sha256, revision: 1 });
        await transaction.objectStore('drafts').put(record);
      });
      return toDraft(record);
    },

    async rename(id, title) {
      if (validateTitle(title)) throw new VitrineError('title_required');
      await updateDraft(id, (transaction, draft) =>
        transaction.objectStore('drafts').put({ ...draft, title, updatedAt: Date.now() }),
      );
    },

    async remove(id) {
      const scope = getDraftScope(id);
      const { copy, rows } = await readStored(database, { kind: 'draft', id });
      let record: DraftRecord | undefined;
      await updateDraft(id, async (transaction, draft) => {
        record = draft;
        const outbox = transaction.objectStore('outbox');
        for (const n of await outbox.index('scope').getAllKeys(scope)) await outbox.delete(n);
        await transaction.objectStore('copies').delete(scope);
        await transaction.objectStore('drafts').delete(normalizeId(id));
      });
      return () =>
        database.run(async (transaction) => {
          for (const row of rows) await transaction.objectStore('outbox').put(row);
          if (copy) await transaction.objectStore('copies').put(copy);
          if (record) await transaction.objectStore('drafts').put(record);
        });
    },

    async claim(ids) {
      for (const id of ids) {
        await updateDraft(id, (transaction, draft) =>
          transaction.objectStore('drafts').put({ ...draft, owner }),
        );
      }
    },
  };
}

/** Creates the record of a new draft. Throws `title_required`. */
export function createDraftRecord(id: string, owner: string | null, draft: NewDraft): DraftRecord {
  if (validateTitle(draft.title)) throw new VitrineError('title_required');
  const now = Date.now();
  return {
    id: normalizeId(id),
    owner,
    title: draft.title,
    createdAt: now,
    updatedAt: now,
    forkedFrom: draft.forkedFrom ?? null,
    ...(draft.forkedFromVersion !== undefined && { forkedFromVersion: draft.forkedFromVersion }),
  };
}

function withStorageErrors(database: LocalDatabase): LocalDatabase {
  return {
    async run(work) {
      try {
        return await database.run(work);
      } catch (cause) {
        throw new VitrineError('not_kept', String(cause), { cause });
      }
    },
  };
}

function toDraft(record: DraftRecord): Draft {
  const { id, owner, title, createdAt, updatedAt, forkedFrom, forkedFromVersion = null } = record;
  return {
    id,
    title,
    isUnclaimed: owner === null,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    forkedFrom,
    forkedFromVersion,
  };
}

function toUnsavedChanges({ id, title, updatedAt, unsavedOf }: DraftRecord): UnsavedChangesEntry[] {
  return unsavedOf ? [{ id, title, ...unsavedOf, updatedAt: new Date(updatedAt) }] : [];
}

interface Edited {
  readonly updatedAt: Date;
}

function byLastEdit(a: Edited, b: Edited): number {
  return b.updatedAt.getTime() - a.updatedAt.getTime();
}
