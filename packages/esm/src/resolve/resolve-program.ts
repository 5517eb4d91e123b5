import { answerRequests } from '@vitrine/processes/child';
import { findErrorCode, VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { describeReason } from '../log.ts';
import { predictRequests, parsePackument, type Packument } from '../registry/packument.ts';
import { runJob } from './resolve-jobs.ts';
import type { JobFailure, JobOutcome, PackumentMessage, ResolveJob } from './resolve-protocol.ts';

/*
 * Entry of the process that resolves packages. npm's resolver computes for whole seconds on a large
 * tree, which would block the server's main thread.
 */

/** Sends the request for a packument of the job that is running. */
let requestPackument = (_name: string): void => {};

/**
 * Package name → callbacks of the request for its packument. An entry is removed when the response
 * arrives; all are removed when the job ends.
 */
const waiting = new Map<
  string,
  { resolve(body: Uint8Array): void; reject(error: unknown): void }
>();
/** Package name → last packument of that name, and the SHA-1 of its JSON. */
const parsed = new Map<string, { readonly hash: string; readonly document: Packument }>();
/** Maximum number of packuments in memory. The largest have a megabyte when parsed. */
const maxPackuments = 500;
/** Maximum number of packuments that a job requests ahead of time. */
const maxPrefetched = 400;

function parse(name: string, body: Uint8Array): Packument {
  const hash = createHash('sha1').update(body).digest('hex');
  const last = parsed.get(name);
  const document =
    last?.hash === hash ? last.document : parsePackument(name, Buffer.from(body).toString());
  parsed.delete(name);
  parsed.set(name, { hash, document });
  const [oldest] = parsed.keys();
  if (parsed.size > maxPackuments && oldest !== undefined) parsed.delete(oldest);
  return document;
}

/**
 * Packuments of one job, each requested once; the next job may find newer ones. After a failed job,
 * npm's resolver may still request packuments. These requests get no response, because it could be
 * mistaken for the response to a request of the next job.
 */
function openPackuments() {
  const packuments = new Map<string, Promise<Packument>>();
  let isClosed = false;

  const read = (name: string): Promise<Packument> => {
    const known = packuments.get(name);
    if (known !== undefined) return known;
    if (isClosed) return new Promise(() => {});
    const request = new Promise<Uint8Array>((resolve, reject) => {
      waiting.set(name, { resolve, reject });
      requestPackument(name);
    }).then((body) => parse(name, body));
    packuments.set(name, request);
    return request;
  };

  /** Reads a packument, and requests those that are likely to be read next. */
  const readAhead = async (name: string): Promise<Packument> => {
    const document = await read(name);
    if (isClosed) return document;
    for (const next of predictRequests(document)) {
      if (packuments.has(next) || packuments.size >= maxPrefetched) continue;
      // A failure is reported when the packument is read.
      readAhead(next).catch(() => undefined);
    }
    return document;
  };

  const close = () => {
    isClosed = true;
    waiting.clear();
  };
  return { read, readAhead, close };
}

async function runAndReport({ kind, input }: ResolveJob): Promise<JobOutcome> {
  const isTree = kind === 'resolve' || kind === 'resolvePackage';
  const { read, readAhead, close } = openPackuments();
  try {
    return { type: 'done', result: await runJob(kind, input, isTree ? readAhead : read) };
  } catch (error) {
    return { type: 'failed', failure: describeFailure(error) };
  } finally {
    close();
  }
}

function describeFailure(error: unknown): JobFailure {
  const code = findErrorCode(error);
  if (error instanceof VitrineError && error.details !== undefined) {
    return { code, details: error.details };
  }
  return code === 'unexpected' ? { code, details: describeReason(error) } : { code };
}

answerRequests(
  (job, tools) => {
    tools.start();
    requestPackument = (name) => tools.notify({ name });
    // Both are sent by `resolver.ts`.
    return runAndReport(job as ResolveJob);
  },
  (notice) => {
    const message = notice as PackumentMessage;
    const request = waiting.get(message.name);
    waiting.delete(message.name);
    if (message.type === 'packument') return request?.resolve(message.body);
    request?.reject(new VitrineError(message.failure.code, message.failure.details));
  },
);
