import {
  documentFormat,
  parseAssetRows,
  VitrineError,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { computeChecksum } from './checksum.ts';
import { toUuid } from './ids.ts';
import type { UpdateWithChecksum } from './untrusted-update.ts';

/*
 * Every message between a live document and the database: arguments and responses of the functions
 * `append_updates`, `load_document` and `create_project`. Updates are sent as base64, checksums as
 * hex. Responses are untrusted, so they arrive as unknown and are parsed here.
 */

/** The arguments of the RPC `append_updates`. */
export interface AppendUpdatesArgs {
  readonly project: string;
  readonly client: string;
  /** The last sequence number of the server's log that this document contains. */
  readonly base: number;
  readonly updates: readonly WireUpdate[];
  /** Each changed file as a whole, with all updates up to `base` and these applied. */
  readonly changed: readonly WireFile[];
  readonly removed: readonly string[];
  /**
   * `documentFormat` of this build. The server rejects the call with `reload_required` if the
   * document has a later format. Builds before format 2 don't send it.
   */
  readonly format: number;
}

/** A file with the columns of the table `project_files`. */
export type WireFile =
  | { readonly path: string; readonly content: string }
  | {
      readonly path: string;
      readonly hash: string;
      readonly size: number;
      readonly media_type: string;
    };

export function toWireFile(path: string, file: ProjectFile): WireFile {
  if (file.kind === 'text') return { path, content: file.text };
  return { path, hash: file.hash, size: file.size, media_type: file.mediaType };
}

interface WireUpdate {
  readonly client_seq: number;
  readonly update: string;
  readonly sha256: string;
}

/** The arguments of `create_project` that come from the document. The app adds the title and others. */
export interface NewProject {
  /**
   * Idempotency key: the server responds with the same project for the same key. The id of the
   * project is chosen by the server.
   */
  readonly id: string;
  readonly files: readonly WireFile[];
  readonly state: string;
  readonly state_sha256: string;
}

/**
 * Creates the arguments of `create_project` that come from a document.
 *
 * @param id Idempotency key: 32 hex digits, or a uuid.
 * @param state The document as one update.
 */
export async function createNewProject(
  id: string,
  state: Uint8Array<ArrayBuffer>,
  files: ProjectFiles,
): Promise<NewProject> {
  return {
    id: toUuid(id),
    files: Array.from(files, ([path, file]) => toWireFile(path, file)),
    state: encodeBytes(state),
    state_sha256: await computeChecksum(state),
  };
}

/** Passed with each RPC: the author of the edits, and the signal that cancels it. */
export interface RpcContext {
  readonly owner: string;
  readonly signal: AbortSignal;
}

/**
 * Calls `append_updates`. Rejects with a code of the error catalog if the server rejects the call,
 * with `session_expired` while a user other than `owner` is signed in, and with any error if the
 * network fails.
 */
export type SendUpdates = (call: AppendUpdatesArgs, context: RpcContext) => Promise<unknown>;

/** Calls `load_document` for all updates after sequence number `since`. Rejects like `SendUpdates`. */
export type LoadDocument = (
  project: string,
  since: number,
  context: RpcContext,
) => Promise<unknown>;

export interface LoggedUpdate extends UpdateWithChecksum {
  readonly seq: number;
}

/** `isDuplicate`: all updates had been stored before, and the texts sent with them were ignored. */
export interface SavedResponse {
  readonly status: 'saved';
  readonly seq: number;
  readonly isDuplicate: boolean;
}

type AppendResponse =
  | SavedResponse
  | { readonly status: 'behind'; readonly seq: number; readonly updates: LoggedUpdate[] };

export interface LoadedDocument {
  readonly seq: number;
  readonly state: { readonly update: Uint8Array<ArrayBuffer>; readonly sha256?: string } | null;
  readonly updates: LoggedUpdate[];
  /** Assets that the server has saved with the document, by path. */
  readonly assets: ReadonlyMap<string, AssetFile>;
}

export function parseAppendResponse(response: unknown): AppendResponse {
  const fields = parseFields(response);
  const seq = parseCount(fields.seq);
  if (fields.status === 'saved')
    return { status: 'saved', seq, isDuplicate: fields.again === true };
  if (fields.status === 'behind') {
    return { status: 'behind', seq, updates: parseLog(fields.updates) };
  }
  throw createResponseError('an unknown status');
}

/** Throws `reload_required` for a document in a later format than this build reads. */
export function parseLoadedDocument(response: unknown): LoadedDocument {
  const fields = parseFields(response);
  if (typeof fields.format === 'number' && fields.format > documentFormat)
    throw new VitrineError('reload_required', `the document has format ${fields.format}`);
  const sha256 = fields.state_sha256;
  return {
    seq: parseCount(fields.seq),
    state:
      fields.state === null || fields.state === undefined
        ? null
        : {
            update: decodeBytes(fields.state),
            ...(typeof sha256 === 'string' && { sha256 }),
          },
    updates: parseLog(fields.updates),
    assets: parseAssetRows(fields.assets),
  };
}

export function encodeBytes(bytes: Uint8Array): string {
  let characters = '';
  for (let from = 0; from < bytes.length; from += 8192) {
    characters += String.fromCharCode(...bytes.subarray(from, from + 8192));
  }
  return btoa(characters);
}

export function decodeBytes(value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value !== 'string') throw createResponseError('bytes that are not a string');
  let characters;
  try {
    characters = atob(value.replaceAll('\n', ''));
  } catch (cause) {
    throw createResponseError('bytes that are not base64', cause);
  }
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

function parseLog(value: unknown): LoggedUpdate[] {
  if (!Array.isArray(value)) throw createResponseError('updates that are not an array');
  return value.map((entry: unknown) => {
    const fields = parseFields(entry);
    if (typeof fields.sha256 !== 'string')
      throw createResponseError('an update without a checksum');
    return {
      seq: parseCount(fields.seq),
      update: decodeBytes(fields.update),
      sha256: fields.sha256,
    };
  });
}

function parseFields(value: unknown): Partial<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    throw createResponseError('a value that is not an object');
  return { ...value };
}

function parseCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw createResponseError('an invalid number');
  }
  return value;
}

function createResponseError(what: string, cause?: unknown): VitrineError {
  return new VitrineError('unexpected', `the server responded with ${what}`, { cause });
}
