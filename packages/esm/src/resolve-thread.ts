import { findErrorCode, VitrineError } from '@vitrine/project';
import { parentPort } from 'node:worker_threads';
import { parseDocument, type PackageDocument } from './package-document.ts';
import { runJob } from './resolve-jobs.ts';
import type { Failure, FromThread, ToThread } from './resolve-protocol.ts';

/*
 * The thread that resolves: npm's resolver needs whole seconds of computing for a large tree, which
 * the server's own thread does not have.
 */

const port = parentPort;
if (port === null) throw new Error('This module is the start of a thread');

/** Name → who waits for its document. Emptied when it came. */
const waiting = new Map<string, { settle(body: Uint8Array): void; fail(error: unknown): void }>();
/** Name → its document, for one job: the next may find a newer one. */
const documents = new Map<string, Promise<PackageDocument>>();

function read(name: string): Promise<PackageDocument> {
  const known = documents.get(name);
  if (known !== undefined) return known;
  const asked = new Promise<Uint8Array>((settle, fail) => {
    waiting.set(name, { settle, fail });
    send({ type: 'read-packument', name });
  }).then((body) => parseDocument(name, Buffer.from(body).toString()));
  documents.set(name, asked);
  return asked;
}

function send(message: FromThread): void {
  port?.postMessage(message);
}

async function work(message: Extract<ToThread, { type: 'job' }>): Promise<void> {
  try {
    send({ type: 'done', result: await runJob(message.kind, message.input, read) });
  } catch (error) {
    send({ type: 'failed', failure: describeFailure(error) });
  } finally {
    documents.clear();
  }
}

function describeFailure(error: unknown): Failure {
  const code = findErrorCode(error);
  if (error instanceof VitrineError && error.details !== undefined) {
    return { code, details: error.details };
  }
  return code === 'unexpected' ? { code, details: describeReason(error) } : { code };
}

/** Its kind and place, for the log; its message could quote what people wrote. */
function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const place = /^\s+at .*$/m.exec(error.stack ?? '')?.[0].trim() ?? '';
  return `${error.name}${code} ${place}`.trim();
}

port.on('message', (message: ToThread) => {
  if (message.type === 'job') return void work(message);
  const asked = waiting.get(message.name);
  waiting.delete(message.name);
  if (message.type === 'packument') return asked?.settle(message.body);
  asked?.fail(new VitrineError(message.failure.code, message.failure.details));
});
