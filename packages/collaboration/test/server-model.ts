import {
  createDocumentFromFiles,
  parseAsset,
  readFiles,
  toTextFiles,
  VitrineError,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { createHash, randomUUID } from 'node:crypto';
import * as Y from 'yjs';
import type { AppendUpdatesArgs, LoadDocument, NewProject, SendUpdates } from '../src/index.ts';
import { parseLoadedDocument, toWireFile, type WireFile } from '../src/server-messages.ts';

interface LogEntry {
  seq: number;
  update: string;
  sha256: string;
  client: string;
  clientSeq: number;
}

interface ModelProject {
  state: string;
  log: LogEntry[];
  files: Map<string, ProjectFile>;
  /** The format that a client has to read to save: 2 once a file was an asset. */
  format: number;
}

/** A fault of a call: the connection fails, or the server crashes before or after its commit. */
export type Fault = 'offline' | 'crash before commit' | 'crash after commit';

/** The error of an app's call whose response never arrived. */
export function connectionLost(): VitrineError {
  return new VitrineError('server_unreachable');
}

/** A project server: a model of it, or a real database. */
export interface ProjectServer {
  /** Returns the fault of the next call. Called once per call. */
  findFault: () => Fault | undefined;
  /** Adds a project as another user's device would. Returns its id. */
  add(files: Record<string, string>): string | Promise<string>;
  readonly send: SendUpdates;
  readonly load: LoadDocument;
  /** Returns the files stored on the server. */
  filesOf(id: string): ProjectFiles | Promise<ProjectFiles>;
}

/** Encodes a document with these files as base64. */
export function encodeDocument(files: Record<string, string>): string {
  const doc = createDocumentFromFiles(Object.entries(files));
  return Buffer.from(Y.encodeStateAsUpdate(doc)).toString('base64');
}

/** Returns the files of a `load_document` response. */
export function readLoaded(answer: unknown): Map<string, ProjectFile> {
  const { state, updates } = parseLoadedDocument(answer);
  const doc = new Y.Doc();
  for (const { update } of [...(state ? [state] : []), ...updates]) Y.applyUpdate(doc, update);
  return readFiles(doc);
}

/**
 * A model of the database functions `create_project`, `append_updates` and `load_document`: a
 * numbered log, idempotent by client and client sequence, with the texts of the files.
 */
export class ServerModel implements ProjectServer {
  readonly projects = new Map<string, ModelProject>();
  /** Project ids by idempotency key. */
  readonly made = new Map<string, string>();
  readonly calls: AppendUpdatesArgs[] = [];
  /** Returns the fault of the next call. Called once per call. */
  findFault: () => Fault | undefined = () => undefined;
  /** The error code of rejected saves; undefined while saves are accepted. */
  refusal: 'not_allowed' | 'session_expired' | 'project_too_large' | undefined;

  add(files: Record<string, string>): string {
    const id = randomUUID();
    this.#insert(id, encodeDocument(files), toTextFiles(Object.entries(files)));
    return id;
  }

  create = async (project: NewProject): Promise<{ id: string; seq: number | null }> => {
    const { fault, answer } = await this.#receive(project);
    if (hash(answer.state) !== answer.state_sha256) throw new VitrineError('bad_request');
    const id = this.made.get(answer.id) ?? randomUUID();
    if (!this.projects.has(id)) {
      this.#insert(id, answer.state, new Map(answer.files.map(parseWireFile)));
      this.made.set(answer.id, id);
    }
    if (fault === 'crash after commit') throw connectionLost();
    const { state, log } = this.#find(id);
    return { id, seq: state === answer.state ? log.length : null };
  };

  send: SendUpdates = async (sent) => {
    const { fault, answer: call } = await this.#receive(sent);
    if (this.refusal) throw new VitrineError(this.refusal);
    this.calls.push(call);
    const project = this.#find(call.project);
    const result = this.#append(project, call);
    if (fault === 'crash after commit') throw connectionLost();
    return result;
  };

  load: LoadDocument = async (id, since) => {
    await this.#receive(id);
    return this.#load(id, since);
  };

  /** The files that the database holds. */
  filesOf(id: string): Map<string, ProjectFile> {
    return new Map(this.#find(id).files);
  }

  /** Returns the files that result from the log. */
  textOf(id: string): Map<string, ProjectFile> {
    return readLoaded(this.#load(id, 0));
  }

  #load(id: string, since: number): object {
    const project = this.#find(id);
    return {
      format: project.format,
      seq: project.log.length,
      state: project.state,
      state_seq: 0,
      updates: entriesSince(project, since),
      assets: [...project.files]
        .filter(([, { kind }]) => kind === 'asset')
        .map(([path, file]) => toWireFile(path, file)),
    };
  }

  async #receive<T>(message: T): Promise<{ fault: Fault | undefined; answer: T }> {
    const answer: T = structuredClone(message);
    await new Promise((resolve) => setImmediate(resolve));
    const fault = this.findFault();
    if (fault === 'offline') throw connectionLost();
    if (fault === 'crash before commit') throw new VitrineError('backend_unreachable');
    return { fault, answer };
  }

  #append(project: ModelProject, call: AppendUpdatesArgs): object {
    const { log, files } = project;
    for (const { update, sha256 } of call.updates) {
      if (hash(update) !== sha256) throw new VitrineError('bad_request');
    }
    const first = call.updates[0]?.client_seq ?? 0;
    if (call.updates.some(({ client_seq }, index) => client_seq !== first + index)) {
      throw new VitrineError('save_refused', 'the client_seq of a call are consecutive');
    }
    const own = log.filter(({ client }) => client === call.client);
    const stored = own.filter(
      ({ clientSeq }) => clientSeq >= first && clientSeq < first + call.updates.length,
    );
    const added = call.updates.slice(stored.length);
    if (added.length === 0) {
      const seq = Math.max(...stored.map((entry) => entry.seq));
      return { status: 'saved', seq, revision: 1, again: true };
    }
    if (call.format < project.format)
      throw new VitrineError(call.format === 1 ? 'save_refused' : 'reload_required');
    if (call.base > log.length) throw new VitrineError('version_conflict');
    if (log.slice(call.base).some((entry) => !stored.includes(entry))) {
      return { status: 'behind', seq: log.length, updates: entriesSince(project, call.base) };
    }
    const last = own.at(-1)?.clientSeq;
    if (last !== undefined && first + stored.length !== last + 1) {
      throw new VitrineError('version_conflict', `the next client_seq is ${last + 1}`);
    }
    for (const { client_seq, update, sha256 } of added) {
      log.push({ seq: log.length + 1, update, sha256, client: call.client, clientSeq: client_seq });
    }
    for (const path of call.removed) files.delete(path);
    for (const sent of call.changed) files.set(...parseWireFile(sent));
    if (call.changed.some((sent) => 'hash' in sent)) project.format = 2;
    return { status: 'saved', seq: log.length, revision: log.length };
  }

  #insert(id: string, state: string, files: Map<string, ProjectFile>): void {
    const format = [...files.values()].some(({ kind }) => kind === 'asset') ? 2 : 1;
    this.projects.set(id, { state, log: [], files, format });
  }

  #find(id: string): ModelProject {
    const project = this.projects.get(this.made.get(id) ?? id);
    if (!project) throw new VitrineError('not_found_or_private', id);
    return project;
  }
}

/** Parses a file as the database does. Throws for one that its constraints reject. */
export function parseWireFile(sent: WireFile): [path: string, file: ProjectFile] {
  if ('content' in sent) return [sent.path, { kind: 'text', text: sent.content }];
  const asset = parseAsset({ hash: sent.hash, size: sent.size, mediaType: sent.media_type });
  if (!asset) throw new VitrineError('save_refused');
  return [sent.path, asset];
}

function entriesSince({ log }: ModelProject, since: number): object[] {
  return log.slice(since).map(({ seq, update, sha256 }) => ({ seq, update, sha256 }));
}

function hash(base64: string): string {
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}
