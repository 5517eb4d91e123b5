/*
 * Preloaded into Node before a function when Deno is not installed: provides `Deno.serve` and
 * `Deno.env`, which is all that many functions use. Listens on the socket of `DENO_SERVE_ADDRESS`.
 */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { readyLine } from './worker-preload.ts';

type Handler = (request: Request) => Response | Promise<Response>;

function serve(...given: unknown[]): void {
  const handler = given.flatMap(findHandler)[0];
  if (handler === undefined) throw new TypeError('Deno.serve was called without a handler');
  const path = process.env['DENO_SERVE_ADDRESS']?.replace(/^unix:/, '');
  const server = createServer(getRequestListener(handler, { errorHandler: answerFault }));
  server.listen(path, () => process.stdout.write(`${readyLine}\n`));
}

/** Supports `serve(handler)`, `serve(options, handler)` and `serve({ handler })`. */
function findHandler(given: unknown): Handler[] {
  if (isHandler(given)) return [given];
  const isOptions = typeof given === 'object' && given !== null && 'handler' in given;
  return isOptions && isHandler(given.handler) ? [given.handler] : [];
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

/** Responds as Deno does when a handler throws. */
function answerFault(error: unknown): Response {
  const reason = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${reason}\n`);
  return new Response('Internal Server Error', { status: 500 });
}

const env = {
  get: (name: string) => process.env[name],
  has: (name: string) => process.env[name] !== undefined,
  toObject: () => ({ ...process.env }),
};

Object.defineProperty(globalThis, 'Deno', { value: { serve, env } });
