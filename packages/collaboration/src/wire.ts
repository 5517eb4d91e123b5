import { VitrineError } from '@vitrine/project';
import type { CheckedUpdate } from './gate.ts';

/*
 * Every message between a living document and the database, as the functions `append_updates`,
 * `load_document` and `create_project` take and answer them. Updates travel as base64, checksums
 * as hex. Answers come from outside, so they arrive as unknown and are parsed here.
 */

/** The arguments of `append_updates`. */
export interface AppendCall {
  readonly project: string;
  readonly client: string;
  /** The last number of the server's log that this document holds. */
  readonly base: number;
  readonly updates: readonly WireUpdate[];
  /** The whole text of each file that these updates change; it belongs to base + updates. */
  readonly changed: readonly { path: string; content: string }[];
  readonly removed: readonly string[];
}

export interface WireUpdate {
  readonly client_seq: number;
  readonly update: string;
  readonly sha256: string;
}

/** The arguments of `create_project` that come from the text; the app adds title and the rest. */
export interface NewProject {
  /**
   * The key of this attempt: with the same one the server answers with the same project. The
   * project's id is the server's.
   */
  readonly id: string;
  readonly files: readonly { path: string; content: string }[];
  readonly state: string;
  readonly state_sha256: string;
}

/** Given with each call: whose edits these are, and when to give up. */
export interface CallContext {
  readonly owner: string;
  readonly signal: AbortSignal;
}

/**
 * Calls `append_updates`. It rejects with the catalogue's code where the server said no, with
 * `session_expired` while someone other than `owner` is signed in, and with anything when the network
 * fails.
 */
export type SendUpdates = (call: AppendCall, context: CallContext) => Promise<unknown>;

/** Calls `load_document`: what the server has after number `since`. Rejects as `SendUpdates` does. */
export type LoadDocument = (
  project: string,
  since: number,
  context: CallContext,
) => Promise<unknown>;

export interface LoggedUpdate extends CheckedUpdate {
  readonly seq: number;
}

/** `isAgain`: all of it was there already, and the files’ text that came along was not taken. */
export interface SavedAnswer {
  readonly status: 'saved';
  readonly seq: number;
  readonly isAgain: boolean;
}

export type AppendAnswer =
  | SavedAnswer
  | { readonly status: 'behind'; readonly seq: number; readonly updates: LoggedUpdate[] };

export interface LoadedDocument {
  readonly seq: number;
  readonly state: { readonly update: Uint8Array<ArrayBuffer>; readonly sha256?: string } | null;
  readonly updates: LoggedUpdate[];
}

export function parseAppendAnswer(answer: unknown): AppendAnswer {
  const fields = parseFields(answer);
  const seq = parseCount(fields.seq);
  if (fields.status === 'saved') return { status: 'saved', seq, isAgain: fields.again === true };
  if (fields.status === 'behind') {
    return { status: 'behind', seq, updates: parseLog(fields.updates) };
  }
  throw malformed('a status that is neither saved nor behind');
}

export function parseLoadedDocument(answer: unknown): LoadedDocument {
  const fields = parseFields(answer);
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
  };
}

export function encodeBytes(bytes: Uint8Array): string {
  let characters = '';
  for (let from = 0; from < bytes.length; from += 8192) {
    characters += String.fromCharCode(...bytes.subarray(from, from + 8192));
  }
  return btoa(characters);
}

function decodeBytes(value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value !== 'string') throw malformed('bytes that are not text');
  let characters;
  try {
    characters = atob(value.replaceAll('\n', ''));
  } catch (cause) {
    throw malformed('bytes that are not base64', cause);
  }
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

function parseLog(value: unknown): LoggedUpdate[] {
  if (!Array.isArray(value)) throw malformed('updates that are no list');
  return value.map((entry: unknown) => {
    const fields = parseFields(entry);
    if (typeof fields.sha256 !== 'string') throw malformed('an update without checksum');
    return {
      seq: parseCount(fields.seq),
      update: decodeBytes(fields.update),
      sha256: fields.sha256,
    };
  });
}

function parseFields(value: unknown): Partial<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw malformed('no fields');
  return { ...value };
}

function parseCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw malformed('a number that is no count');
  }
  return value;
}

function malformed(what: string, cause?: unknown): VitrineError {
  return new VitrineError('unexpected', `the server answered with ${what}`, { cause });
}
