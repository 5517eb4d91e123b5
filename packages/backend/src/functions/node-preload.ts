/*
 * Preloaded into Node before a function when Deno is not installed: provides `Deno.serve` and
 * `Deno.env`, which is all that many functions use. Listens on the socket of `DENO_SERVE_ADDRESS`.
 */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { readyLine } from './worker-preload.ts';

type Handler = (request: Request) => Response | Promise<Response>;

function serve(...args: unknown[]): void {
  const handler = args.flatMap(findHandler)[0];
  if (handler === undefined) throw new TypeError('Deno.serve was called without a handler');
  const path = process.env['DENO_SERVE_ADDRESS']?.replace(/^unix:/, '');
  const server = createServer(getRequestListener(handler, { errorHandler: handleError }));
  server.listen(path, () => process.stdout.write(`${readyLine}\n`));
}

/** Supports `serve(handler)`, `serve(options, handler)` and `serve({ handler })`. */
function findHandler(args: unknown): Handler[] {
  if (isHandler(args)) return [args];
  const isOptions = typeof args === 'object' && args !== null && 'handler' in args;
  return isOptions && isHandler(args.handler) ? [args.handler] : [];
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

/** Responds as Deno does when a handler throws. */
function handleError(error: unknown): Response {
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
