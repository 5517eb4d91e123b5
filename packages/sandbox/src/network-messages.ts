/** Messages between the host and the frame's agent that records the page's requests. */
import { isRecord } from '@vitrine/project';
import { maxAddressLength } from './address-messages.ts';
import { parseCount } from './console-values.ts';
import {
  parseSourceLocation,
  parseListUpTo,
  parseNullable,
  parsePair,
  parseStringUpTo,
} from './message-parts.ts';
import type { NetworkRule } from './network-rules.ts';
import type { SourceLocation } from './message-parts.ts';

/** host → frame. */
export type ToNetwork =
  /** Rules that the agent applies itself; sent to each document. Until then the agent holds requests back. */
  | { type: 'rules'; rules: NetworkRule[] }
  /** Send headers and bodies of a request. */
  | { type: 'details'; id: number };

/** frame → host. */
export type NetworkMessage =
  /** New requests, and updates of earlier ones; the newest state of an id counts. */
  | { type: 'requests'; requests: NetworkRequest[]; dropped: number }
  | { type: 'details'; id: number; details: RequestDetails };

const requestKinds = [
  'page',
  'fetch',
  'script',
  'style',
  'image',
  'font',
  'media',
  'socket',
  'other',
] as const;
export type RequestKind = (typeof requestKinds)[number];

/** Target of a request: a file of the project, a package served by this instance, or anything else. */
const requestSources = ['project', 'package', 'outside'] as const;
export type RequestSource = (typeof requestSources)[number];

/** A request as the page knows it. Only `fetch`, XMLHttpRequest and sockets have a method and headers. */
export interface NetworkRequest {
  /** Number within its document, from 1. */
  id: number;
  /** '' if unknown. */
  method: string;
  address: string;
  kind: RequestKind;
  from: RequestSource;
  /** Path of a project file; '' for other targets. */
  path: string;
  /** Milliseconds since the start of the document. */
  start: number;
  /** Milliseconds; null while pending. */
  duration: number | null;
  /** HTTP status; null while pending or if unknown. */
  status: number | null;
  /** Body size in bytes; null if unknown. */
  size: number | null;
  hasFailed: boolean;
  /** Location of the call that started it, in the code that runs. */
  startedBy: SourceLocation;
  hasDetails: boolean;
}

export type HeaderList = [name: string, value: string][];

export interface RequestDetails {
  requestHeaders: HeaderList;
  responseHeaders: HeaderList;
  requestBody: RecordedBody | null;
  responseBody: RecordedBody | null;
}

/** A body as far as it was kept; `note` says why it is missing or truncated. */
export interface RecordedBody {
  text: string;
  note: string;
}

export const networkLimits = {
  /** Maximum number of requests kept, both in the frame per document and in the host. */
  requests: 500,
  batch: 100,
  bodyCharacters: 64 * 1024,
  headers: 100,
  headerCharacters: 2_000,
} as const;

export function parseNetworkMessage(input: unknown): NetworkMessage | undefined {
  if (!isRecord(input)) return undefined;
  if (input['type'] === 'requests') {
    const requests = parseListUpTo(networkLimits.batch, input['requests'], parseRequest);
    const dropped = parseCount(input['dropped']);
    return !requests || dropped === undefined ? undefined : { type: 'requests', requests, dropped };
  }
  if (input['type'] !== 'details') return undefined;
  const id = parseCount(input['id']);
  const details = parseDetails(input['details']);
  return id === undefined || !details ? undefined : { type: 'details', id, details };
}

function parseRequest(input: unknown): NetworkRequest | undefined {
  if (!isRecord(input)) return undefined;
  const id = parseCount(input['id']);
  const method = parseStringUpTo(20, input['method']);
  const address = parseStringUpTo(maxAddressLength, input['address']);
  const kind = requestKinds.find((name) => name === input['kind']);
  const from = requestSources.find((name) => name === input['from']);
  const path = parseStringUpTo(1_000, input['path']);
  const start = parseTime(input['start']);
  const duration = parseNullable(input['duration'], parseTime);
  const status = parseNullable(input['status'], parseCount);
  const size = parseNullable(input['size'], parseCount);
  const startedBy = parseSourceLocation(input['startedBy']);
  const { hasFailed, hasDetails } = input;
  if (id === undefined || method === undefined || address === undefined) return undefined;
  if (!kind || !from || path === undefined || start === undefined || duration === undefined)
    return undefined;
  if (status === undefined || size === undefined || !startedBy) return undefined;
  if (typeof hasFailed !== 'boolean' || typeof hasDetails !== 'boolean') return undefined;
  const times = { start, duration, status, size };
  return { id, method, address, kind, from, path, ...times, hasFailed, startedBy, hasDetails };
}

function parseDetails(input: unknown): RequestDetails | undefined {
  if (!isRecord(input)) return undefined;
  const requestHeaders = parseHeaders(input['requestHeaders']);
  const responseHeaders = parseHeaders(input['responseHeaders']);
  const requestBody = parseNullable(input['requestBody'], parseBody);
  const responseBody = parseNullable(input['responseBody'], parseBody);
  if (!requestHeaders || !responseHeaders) return undefined;
  if (requestBody === undefined || responseBody === undefined) return undefined;
  return { requestHeaders, responseHeaders, requestBody, responseBody };
}

function parseHeaders(input: unknown): HeaderList | undefined {
  return parseListUpTo(networkLimits.headers, input, (pair) =>
    parsePair(networkLimits.headerCharacters, pair),
  );
}

function parseBody(input: unknown): RecordedBody | undefined {
  if (!isRecord(input)) return undefined;
  const text = parseStringUpTo(networkLimits.bodyCharacters, input['text']);
  const note = parseStringUpTo(200, input['note']);
  return text === undefined || note === undefined ? undefined : { text, note };
}

function parseTime(input: unknown): number | undefined {
  return typeof input === 'number' && input >= 0 && input < 1e9 ? input : undefined;
}
