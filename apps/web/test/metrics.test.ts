import { request as send, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createMetrics, serveMetrics } from '../server/metrics.ts';

const metrics = createMetrics();
const server = await serveMetrics(metrics, 0);
const { address, port } = server.address() as AddressInfo;
afterAll(() => void server.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function ask(path: string, host: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      const { statusCode: status = 0, headers } = response;
      response.once('end', () => resolve({ status, headers, body }));
    });
    request.once('error', reject).end();
  });
}

test('counts requests by area and status class, without URLs in the labels', async () => {
  const { handle } = metrics.instrument({
    async handle(request) {
      if (request.url.endsWith('/gone')) throw new Error('gone');
      return new Response(null, { status: request.url.includes('/rest/') ? 404 : 200 });
    },
    upgrade: () => undefined,
  });
  for (const path of [
    '/rest/v1/secret-name',
    '/rest/v1/b',
    '/@ada/x',
    '/npm/react',
    '/assets/a.js',
  ])
    await handle(new Request(`http://vitrine.test${path}`), { address: '' });
  await handle(new Request('http://vitrine.test/gone'), { address: '' }).catch(() => undefined);
  const { body } = await ask('/metrics', '127.0.0.1:9');
  expect(body).toContain('vitrine_requests_total{area="rest",status="4xx"} 2');
  expect(body).toContain('vitrine_requests_total{area="page",status="2xx"} 1');
  expect(body).toContain('vitrine_requests_total{area="npm",status="2xx"} 1');
  expect(body).toContain('vitrine_request_seconds_count{area="page"} 2');
  expect(body).toContain('vitrine_requests_running 0');
  expect(body).toContain('process_resident_memory_bytes');
  expect(body).not.toContain('secret-name');
});

test('are readable only from this machine, and not by a host name that a page could have', async () => {
  expect(address).toBe('127.0.0.1');
  expect((await ask('/metrics', `localhost:${port}`)).status).toBe(200);
  expect((await ask('/metrics', `rebinding.example.com:${port}`)).status).toBe(421);
  expect((await ask('/', 'localhost')).status).toBe(404);
  await expect(serveMetrics(createMetrics(), port)).rejects.toThrow(/METRICS_PORT/);
});

test('PT-07.10: each response has the headers of its class', async () => {
  for (const [path, host] of [
    ['/metrics', 'localhost'],
    ['/metrics', 'rebinding.example.com'],
    ['/', 'localhost'],
  ] as const) {
    expect((await ask(path, host)).headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
});
