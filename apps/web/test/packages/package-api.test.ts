import { createDocumentFromFiles, VitrineError } from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPackageApi, type PackageApi } from '../../app/packages/package-api.ts';
import { ProjectPackages } from '../../app/packages/project-packages.ts';
import { ProjectText } from '../../app/workspace/code/project-text.ts';

const { signal } = new AbortController();
const calls: Readonly<Record<string, (api: PackageApi) => Promise<unknown>>> = {
  resolve: (api) => api.resolve({ manifest: undefined, lockfile: undefined }, {}, signal),
  register: (api) => api.register('{}'),
  progress: (api) => api.progress(['/npm/a@1.0.0~abcdefghijklmnop'], signal),
  search: (api) => api.search('a', signal),
  getInfo: (api) => api.getInfo('a', signal),
};
const names = Object.keys(calls);

/** Code of the VitrineError with which the request rejects. Any other error is thrown. */
async function codeOf(name: string, respond: () => Promise<Response>): Promise<string> {
  try {
    await calls[name]?.(createPackageApi(respond));
  } catch (error) {
    if (error instanceof VitrineError) return error.code;
    throw error;
  }
  return 'none';
}

/** A response whose connection breaks after the first bytes. */
function breakingResponse(status: number): Response {
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"pack'));
      controller.error(new TypeError('network error'));
    },
  });
  return new Response(body, { status });
}

describe.each(names)('the request %s', (name) => {
  test.each(['', '<!doctype html><title>Sign in', '{"packages": [', 'null', '7', '[]', '{}'])(
    'fails with an error of the catalog when the response is %j',
    async (text) => {
      expect(await codeOf(name, async () => new Response(text))).toBe('unexpected');
    },
  );

  test('fails with an error of the catalog when the response is any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        expect(await codeOf(name, async () => new Response(text))).toBe('unexpected');
      }),
    );
  });

  test.each([
    [400, '{"code":"bad_request"}', 'bad_request'],
    [400, '{"code":"constructor"}', 'unexpected'],
    [404, '<!doctype html>', 'unexpected'],
    [429, '', 'rate_limited'],
    [500, '[{"code":7}]', 'unexpected'],
    [503, '<html>', 'server_unreachable'],
  ])('fails with the error of a response with status %i: %s', async (status, text, code) => {
    expect(await codeOf(name, async () => new Response(text, { status }))).toBe(code);
  });

  test('fails as unreachable when the connection fails, or breaks in the response', async () => {
    const failing = () => Promise.reject(new TypeError('Failed to fetch'));
    expect(await codeOf(name, failing)).toBe('server_unreachable');
    expect(await codeOf(name, async () => breakingResponse(200))).toBe('server_unreachable');
    expect(await codeOf(name, async () => breakingResponse(500))).toBe('server_unreachable');
  });
});

test('build states are in the order of the requested URLs, absent where the server has none', async () => {
  const packages = { 'b@1.0.0~x': 'ready', 'a@1.0.0~x': 'building' };
  const api = createPackageApi(async () => Response.json({ packages }));
  const urls = ['a', 'b', 'b', 'c'].map((name) => `/npm/${name}@1.0.0~x`);
  expect((await api.progress(urls, signal)).states).toEqual([
    'building',
    'ready',
    'ready',
    'absent',
  ]);
});

test.each(['<!doctype html>', '{"packageJson":"{}","lock":7,"packages":[]}'])(
  'a project stays unchanged when a package is added and the response is %s',
  async (body) => {
    const doc = createDocumentFromFiles([['index.html', '<p>']]);
    const text = new ProjectText(doc, { onRename: () => {}, onReplace: () => {} });
    const api = createPackageApi(async () => new Response(body));
    const packages = new ProjectPackages(text.files.get(), () => api);
    packages.open(text);
    expect(await packages.add([{ name: 'a' }])).toBe(false);
    expect(packages.operation.get()).toMatchObject({ status: 'failed', code: 'unexpected' });
    expect([...text.paths.get()]).toEqual(['index.html']);
    packages.close();
  },
);
