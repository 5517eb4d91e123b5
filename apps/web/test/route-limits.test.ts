import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { format } from 'prettier';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendServices } from '../server/router.ts';
import {
  createRouteFinder,
  formatRouteLimits,
  listRouteLimits,
  maxPathLength,
  maxQueryLength,
  type RouteLimits,
} from '../server/route-limits.ts';
import { startVitrine, type Vitrine } from './vitrine.ts';

const build: { routes: Parameters<typeof listRouteLimits>[0] } = await import(
  new URL('../build/server/index.js', import.meta.url).href
);
const routes = listRouteLimits(build.routes);
const findRoute = createRouteFinder(routes);

test('docs/requests.md lists all routes (update it with `npm test -- route-limits.test -u`)', async () => {
  const file = new URL('../../../docs/requests.md', import.meta.url);
  const [before = '', after = ''] = readFileSync(file, 'utf8').split(
    /(?<=<!-- routes -->\n)[^]*(?=<!-- \/routes -->)/,
  );
  const text = `${before}\n${formatRouteLimits(routes)}\n${after}`;
  await expect(await format(text, { parser: 'markdown', printWidth: 100 })).toMatchFileSnapshot(
    file.pathname,
  );
});

test('every page and every service has a row of its own', () => {
  const paths = Object.values(build.routes).flatMap((route) => {
    const names: string[] = [];
    for (let each = route; each; each = each.parentId ? build.routes[each.parentId] : undefined)
      if (each.path) names.unshift(each.path);
    return route?.path ? [`/${names.join('/')}`] : [];
  });
  expect(paths.length).toBeGreaterThan(25);
  const services = backendServices.map((name) => `/${name}/v1/x`);
  for (const path of [...paths.filter((each) => each !== '/*'), ...services, '/npm/x', '/assets/x'])
    expect([path, findRoute('app', example(path)).path]).not.toEqual([path, '/*']);
});

test('a route’s data and other spellings have its limits', () => {
  const pathOf = (path: string) => findRoute('app', path).path;
  expect(pathOf('/@ann/x/entry')).toBe('/:handle/:slug/entry');
  expect(pathOf('/@ann/x/ENTRY.data')).toBe('/:handle/:slug/entry');
  expect(pathOf('/prefill')).toBe('/prefill');
  expect(pathOf('/storage/v1/object/list/assets')).toBe('/storage/v1/object/list/*');
  expect(pathOf('/storage/v1/object/assets/list')).toBe('/storage/v1/object/*');
  expect(pathOf('/rest/v1')).toBe('/rest/v1/*');
  // A path that a handler decodes has limits at least as low.
  expect(findRoute('app', '/storage/v1/%6fbject/a/b').maxBodyBytes).toBe(1024 * 1024);
});

/** A path of the route: `/:handle/*` → `/x/x`. */
function example(path: string): string {
  return path.replace(/:\w+|\*$/g, 'x');
}

describe('in a server', () => {
  let vitrine: Vitrine;
  beforeAll(async () => {
    vitrine = await startVitrine();
  });
  afterAll(() => vitrine.close());

  interface Got {
    readonly status: number;
    readonly text: string;
  }

  /** Sends the start of a request, and resolves to the response. */
  async function send(
    { host }: RouteLimits,
    line: string,
    headers: readonly string[] = [],
    body = '',
  ): Promise<Got> {
    const socket = connect(vitrine.port, '127.0.0.1');
    const name = host === 'preview' ? `abcdefghij.${vitrine.host}` : vitrine.host;
    const closing = ['connection: close', 'accept: text/html'];
    socket.write(
      [`${line} HTTP/1.1`, `host: ${name}`, ...closing, ...headers, '', body].join('\r\n'),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    await once(socket, 'close');
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
  }

  const formats = {
    json: /^content-type: application\/json[^]*\r\n\r\n\{.*"code":"\w+".*"message"/im,
    text: /^content-type: text\/plain[^]*\r\n\r\n[A-Z]/im,
    page: /^content-type: text\/html[^]*^<!doctype html>/im,
  };

  /** Checks that it is a refusal in the route's format, with the headers of every response. */
  function expectRefusal(got: Got, status: number, route: RouteLimits): void {
    expect([route.path, got.status]).toEqual([route.path, status]);
    expect(got.text).toMatch(formats[route.format]);
    for (const header of [
      /^cache-control: no-store\r$/im,
      /^content-security-policy: default-src 'none';.* frame-ancestors 'none'/im,
      /^x-content-type-options: nosniff\r$/im,
      /^x-frame-options: DENY\r$/im,
    ])
      expect(got.text).toMatch(header);
  }

  describe.each(routes.map((route) => [`${route.host} ${route.path}`, route] as const))(
    'WB-18: %s',
    (_, route) => {
      const path = example(route.path);

      test('refuses a longer URL', async () => {
        const atMost = await send(route, `GET ${path}?${'a'.repeat(maxQueryLength)}`);
        expect(atMost.status).not.toBe(414);
        for (const times of [1, 5]) {
          const query = 'a&'.repeat((maxQueryLength / 2) * times);
          expectRefusal(await send(route, `GET ${path}?${query}a`), 414, route);
        }
        const long = await send(route, `GET /${'a/'.repeat(maxPathLength / 2)}`);
        expect(long.status).toBe(414);
        const deep = await send(route, `GET /${'a/'.repeat(1_000)}`);
        expect(deep.status).toBe(414);
      });

      test('refuses a larger body before it arrives', async () => {
        for (const bytes of [route.maxBodyBytes + 1, route.maxBodyBytes * 5])
          expectRefusal(
            await send(route, `POST ${path}`, [`content-length: ${bytes}`]),
            413,
            route,
          );
        const headers = ['content-type: text/plain', 'content-length: 1'];
        expect((await send(route, `POST ${path}`, headers, 'x')).status).not.toBe(413);
      });

      test('refuses more fields', async () => {
        const body = 'a&'.repeat(route.maxFields);
        const headers = [
          'content-type: application/x-www-form-urlencoded',
          `content-length: ${body.length * 5}`,
        ];
        const got = await send(route, `POST ${path}`, headers, `${body}a`);
        const status = route.path === '/prefill' ? 400 : 413;
        expectRefusal(got, status, route);
      });
    },
  );
});
