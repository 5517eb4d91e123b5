import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Router } from './router.ts';
import { bareHeaders } from './security-headers.ts';
import { isLoopback } from './settings.ts';
import { StartupError } from './startup-error.ts';

/** What is counted of requests and of the process, in Prometheus' text. */
export interface Metrics {
  /** The same router, counted. */
  watch(router: Router): Router;
  text(): Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const answered = new Counter({
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
    watch: ({ answer, upgrade }) => ({
      upgrade,
      async answer(request, from) {
        const area = nameArea(new URL(request.url).pathname);
        const stop = seconds.startTimer({ area });
        running.inc();
        try {
          const response = await answer(request, from);
          answered.inc({ area, status: `${Math.floor(response.status / 100)}xx` });
          return response;
        } finally {
          stop();
          running.dec();
        }
      },
    }),
    text: () => registry.metrics(),
  };
}

/** Few and fixed: a label for each address that somebody thinks of would fill the memory. */
function nameArea(pathname: string): string {
  const service = /^\/(auth|rest|storage|realtime|functions)\/v1\//.exec(pathname)?.[1];
  return service ?? /^\/(npm|assets|__vitrine)\//.exec(pathname)?.[1] ?? 'page';
}

/**
 * `http://127.0.0.1:PORT/metrics`, for this machine alone. A page that has a name of its own point
 * here is told apart by the `Host` that its browser sends.
 */
export async function serveMetrics(metrics: Metrics, port: number): Promise<Server> {
  const server = createServer((request, response) => void answer(metrics, request, response));
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartupError(
      `Port ${port} for metrics is already in use. Set METRICS_PORT to another port, or leave it empty.`,
      { cause: error },
    );
  }
  return server;
}

async function answer(metrics: Metrics, request: IncomingMessage, response: ServerResponse) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  response.setHeaders(bareHeaders(false));
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
  if (!isLoopback(host)) return response.writeHead(421).end('Wrong host.\n');
  if (request.url !== '/metrics') return response.writeHead(404).end('Not found.\n');
  return response.writeHead(200).end(await metrics.text());
}
