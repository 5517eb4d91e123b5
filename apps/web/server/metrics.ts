import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { StartupError } from '@vitrine/backend';
import type { Router } from './router.ts';
import { createBaseHeaders } from './security-headers.ts';
import { isLoopback } from './settings.ts';

/** Metrics of requests and the process. */
interface Metrics {
  /** Wraps a router, or what is in front of it, to count its requests. */
  instrument<From>(router: InstrumentedRouter<From>): InstrumentedRouter<From>;
  /** The metrics in Prometheus' text format. */
  format(): Promise<string>;
}

interface InstrumentedRouter<From> {
  handle(request: Request, from: From): Promise<Response>;
  upgrade: Router['upgrade'];
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const completed = new Counter({
    name: 'vitrine_requests_total',
    help: 'Completed requests, by area and status class.',
    labelNames: ['area', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'vitrine_request_seconds',
    help: 'Time from the request to the start of the response.',
    labelNames: ['area'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const running = new Gauge({
    name: 'vitrine_requests_running',
    help: 'Requests in progress.',
    registers,
  });
  return {
    instrument: ({ handle, upgrade }) => ({
      upgrade,
      async handle(request, from) {
        const area = findArea(new URL(request.url).pathname);
        const stop = seconds.startTimer({ area });
        running.inc();
        try {
          const response = await handle(request, from);
          completed.inc({ area, status: `${Math.floor(response.status / 100)}xx` });
          return response;
        } finally {
          stop();
          running.dec();
        }
      },
    }),
    format: () => registry.metrics(),
  };
}

/** Maps a path to one of a few labels, since a label per path would fill the memory. */
function findArea(pathname: string): string {
  const service = /^\/(auth|rest|storage|realtime|functions)\/v1\//.exec(pathname)?.[1];
  return service ?? /^\/(npm|assets|__vitrine)\//.exec(pathname)?.[1] ?? 'page';
}

/**
 * Serves `http://127.0.0.1:PORT/metrics` to this machine only. Checks the `Host` header, so that a
 * web page can't read it through DNS rebinding.
 */
export async function serveMetrics(metrics: Metrics, port: number): Promise<Server> {
  const server = createServer((request, response) => void respond(metrics, request, response));
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartupError(
      `Metrics port ${port} is already in use. Set METRICS_PORT to another port, or leave it empty.`,
      { cause: error },
    );
  }
  return server;
}

async function respond(metrics: Metrics, request: IncomingMessage, response: ServerResponse) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  response.setHeaders(createBaseHeaders(false));
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
  if (!isLoopback(host)) return response.writeHead(421).end('Unknown host.\n');
  if (request.url !== '/metrics') return response.writeHead(404).end('Not found.\n');
  return response.writeHead(200).end(await metrics.format());
}
