import { findErrorCode, VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { describeReason } from './log.ts';
import { guessNext, parseDocument, type PackageDocument } from './package-document.ts';
import { runJob } from './resolve-jobs.ts';
import type { Failure, FromThread, ToThread } from './resolve-protocol.ts';

/*
 * The thread that resolves: npm's resolver needs whole seconds of computing for a large tree, which
 * the server's own thread does not have.
 */

const port = parentPort;
if (port === null) throw new Error('This module is the start of a thread');

/** Name → who waits for its document. Emptied when it came, and when the job is done. */
const waiting = new Map<string, { settle(body: Uint8Array): void; fail(error: unknown): void }>();
/** Name → the last document of that name, and the bytes it was read from as a hash. */
const parsed = new Map<string, { readonly hash: string; readonly document: PackageDocument }>();
/** Documents in memory; the largest are a megabyte once read. */
const keptDocuments = 500;
/** A guess that leads this far is none. */
const guessedMax = 400;

function parse(name: string, body: Uint8Array): PackageDocument {
  const hash = createHash('sha1').update(body).digest('hex');
  const last = parsed.get(name);
  const document =
    last?.hash === hash ? last.document : parseDocument(name, Buffer.from(body).toString());
  parsed.delete(name);
  parsed.set(name, { hash, document });
  const [oldest] = parsed.keys();
  if (parsed.size > keptDocuments && oldest !== undefined) parsed.delete(oldest);
  return document;
}

/**
 * The documents of one job, each asked for once: the next job may find newer ones. What npm's
 * resolver still asks for when it has failed already is for nobody, and must not be answered in the
 * place of what the next job asks for.
 */
function openDocuments() {
  const documents = new Map<string, Promise<PackageDocument>>();
  let isOver = false;

  const read = (name: string): Promise<PackageDocument> => {
    const known = documents.get(name);
    if (known !== undefined) return known;
    if (isOver) return new Promise(() => {});
    const asked = new Promise<Uint8Array>((settle, fail) => {
      waiting.set(name, { settle, fail });
      send({ type: 'read-packument', name });
    }).then((body) => parse(name, body));
    documents.set(name, asked);
    return asked;
  };

  /** Reads a document, and starts to read those that will likely be wanted after it. */
  const readAhead = async (name: string): Promise<PackageDocument> => {
    const document = await read(name);
    if (isOver) return document;
    for (const next of guessNext(document)) {
      if (documents.has(next) || documents.size >= guessedMax) continue;
      // Whoever really wants it hears of the failure.
      readAhead(next).catch(() => undefined);
    }
    return document;
  };

  const close = () => {
    isOver = true;
    waiting.clear();
  };
  return { read, readAhead, close };
}

function send(message: FromThread): void {
  port?.postMessage(message);
}

async function work({ kind, input }: Extract<ToThread, { type: 'job' }>): Promise<void> {
  const isTree = kind === 'resolve' || kind === 'resolveOne';
  const { read, readAhead, close } = openDocuments();
  try {
    const result = await runJob(kind, input, isTree ? readAhead : read);
    close();
    send({ type: 'done', result });
  } catch (error) {
    close();
    send({ type: 'failed', failure: describeFailure(error) });
  }
}

function describeFailure(error: unknown): Failure {
  const code = findErrorCode(error);
  if (error instanceof VitrineError && error.details !== undefined) {
    return { code, details: error.details };
  }
  return code === 'unexpected' ? { code, details: describeReason(error) } : { code };
}

port.on('message', (message: ToThread) => {
  if (message.type === 'job') return void work(message);
  const asked = waiting.get(message.name);
  waiting.delete(message.name);
  if (message.type === 'packument') return asked?.settle(message.body);
  asked?.fail(new VitrineError(message.failure.code, message.failure.details));
});
