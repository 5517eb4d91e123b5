import { createHash, randomUUID } from 'node:crypto';
import {
  createFile,
  documentFormat,
  findFileChanges,
  isSameFile,
  listFiles,
  readFiles,
  removeFile,
  replaceFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import * as Y from 'yjs';

interface LoggedUpdate {
  readonly seq: number;
  readonly update: string;
  readonly sha256: string;
}

interface LoadedDocument {
  readonly seq: number;
  readonly state: string | null;
  readonly updates: readonly LoggedUpdate[];
}

type AppendResponse =
  | { readonly status: 'saved'; readonly seq: number }
  | (LoadedDocument & { readonly status: 'behind' });

/** The result of a save: a code of the error catalog, or what was saved. */
export type SaveResult =
  | { readonly code: string }
  | {
      readonly code: undefined;
      readonly files: ProjectFiles;
      /** Paths of the files that were sent. */
      readonly sent: ReadonlySet<string>;
      readonly seq: number;
      readonly checksums: readonly string[];
    };

/** A user's copy of the project's document, which is saved as the page does. */
export class Device {
  readonly doc = new Y.Doc();
  readonly #client: SupabaseClient;
  readonly #project: string;
  readonly #id = randomUUID();
  #clientSeq = 0;
  #base = 0;
  /** What the server has, as far as known. Null for a file whose content is unknown. */
  #serverFiles = new Map<string, ProjectFile | null>();

  constructor(client: SupabaseClient, project: string) {
    this.#client = client;
    this.#project = project;
  }

  /** Merges what others have saved. Resolves to a code if the document can't be read. */
  async load(): Promise<string | undefined> {
    const { data, error } = await this.#client.rpc('load_document', {
      project: this.#project,
      since: this.#base,
    });
    if (error) return error.message;
    this.#merge(data);
    this.#serverFiles = new Map(readFiles(this.doc));
    return undefined;
  }

  /** Edits the document and saves it. */
  async save(edit: (doc: Y.Doc) => void): Promise<SaveResult> {
    const updates: Uint8Array[] = [];
    const collect = (update: Uint8Array) => updates.push(update);
    this.doc.on('update', collect);
    edit(this.doc);
    this.doc.off('update', collect);
    const rows = updates.map((update) => ({
      client_seq: (this.#clientSeq += 1),
      update: Buffer.from(update).toString('base64'),
      sha256: createHash('sha256').update(update).digest('hex'),
    }));
    for (;;) {
      const files = readFiles(this.doc);
      const changed = [...files].filter(
        ([path, file]) => !isSameFile(this.#serverFiles.get(path) ?? undefined, file),
      );
      const { data, error } = await this.#client.rpc('append_updates', {
        project: this.#project,
        client: this.#id,
        base: this.#base,
        updates: rows,
        changed: changed.map(([path, file]) => toRow(path, file)),
        removed: [...this.#serverFiles.keys()].filter((path) => !files.has(path)),
        format: documentFormat,
      });
      if (error) return { code: error.message };
      const response = data as AppendResponse;
      if (response.status === 'behind') {
        this.#merge(response);
        const error = await this.#readServerPaths();
        if (error !== undefined) return { code: error };
        continue;
      }
      this.#base = response.seq;
      this.#serverFiles = new Map(files);
      return {
        code: undefined,
        files,
        sent: new Set(changed.map(([path]) => path)),
        seq: response.seq,
        checksums: rows.map(({ sha256 }) => sha256),
      };
    }
  }

  /** Merged with own changes, updates don't tell which files the server has. Resolves like `load`. */
  async #readServerPaths(): Promise<string | undefined> {
    const { data, error } = await this.#client.rpc('load_document', { project: this.#project });
    if (error) return error.message;
    const doc = new Y.Doc();
    applyLoaded(doc, data);
    this.#serverFiles = new Map([...readFiles(doc).keys()].map((path) => [path, null]));
    return undefined;
  }

  #merge(loaded: LoadedDocument): void {
    applyLoaded(this.doc, loaded);
    this.#base = loaded.seq;
  }
}

export function applyLoaded(doc: Y.Doc, { state, updates }: LoadedDocument): void {
  if (state !== null) Y.applyUpdate(doc, Buffer.from(state, 'base64'));
  for (const { update } of updates) Y.applyUpdate(doc, Buffer.from(update, 'base64'));
}

/** Makes the files those of a version, like the page. */
export function replaceAll(doc: Y.Doc, files: ProjectFiles): void {
  doc.transact(() => {
    for (const { id, path } of listFiles(doc)) if (!files.has(path)) removeFile(doc, id);
    const before = listFiles(doc);
    for (const [path, file] of findFileChanges(readFiles(doc), files).changed) {
      const found = before.find((each) => each.path === path);
      if (!found) {
        createFile(doc, path, file);
      } else if (found.kind === 'text' && file.kind === 'text') {
        found.text.delete(0, found.text.length);
        found.text.insert(0, file.text);
      } else {
        replaceFile(doc, path, file);
      }
    }
  });
}

/** The row of a file as clients send it. */
export function toRow(path: string, file: ProjectFile): Record<string, string | number> {
  if (file.kind === 'text') return { path, content: file.text };
  return { path, hash: file.hash, size: file.size, media_type: file.mediaType };
}
