import { VitrineError } from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  listFullExportUrls,
  parseCancelRequest,
  parseErrorResponse,
  parsePackageInfo,
  parseProgressResponse,
  parseRegisterRequest,
  parseRegisterResponse,
  parseResolveRequest,
  parseResolveResponse,
  parseSearchResponse,
  parseTypesResponse,
  requestItemsMax,
} from '../src/messages.ts';
import { codeOf, withPackageServer } from './package-server-fixture.ts';

const target = 'a@1.0.0~abcdefghijklmnop';
const described = { name: 'a', version: '1.0.0', base: `/npm/${target}` };
const built = { ...described, license: 'MIT', deprecated: 'old', bytes: 7, plain: ['', '/b'] };

/** Parsers of responses, each with a response that has every field. */
const responses = [
  [
    'resolve',
    parseResolveResponse,
    { packageJson: '{}', lock: '{}', packages: [described, built] },
  ],
  ['register', parseRegisterResponse, { packages: [described, built] }],
  ['progress', parseProgressResponse, { packages: { [target]: 'ready', b: 'absent' } }],
  [
    'search',
    parseSearchResponse,
    {
      packages: [{ name: 'a', version: '1.0.0', description: '', license: 'MIT' }],
      searched: true,
    },
  ],
  [
    'package',
    parsePackageInfo,
    {
      name: 'a',
      description: '',
      license: '',
      versions: ['1.0.0'],
      tags: { latest: '1.0.0' },
      deprecated: 'old',
      unpackedBytes: 7,
    },
  ],
  ['types', parseTypesResponse, { files: { '/node_modules/a/package.json': '{}' } }],
] as const;

const requests = [
  [
    'resolve',
    parseResolveRequest,
    {
      packageJson: '{}',
      lock: '{}',
      add: [{ name: 'a', range: '1' }, { name: 'b' }],
      remove: ['c'],
      update: ['d'],
    },
  ],
  ['register', parseRegisterRequest, { lock: '{}' }],
  ['cancel', parseCancelRequest, { of: [target] }],
] as const;

const requiredFields = new Set(
  'packageJson packages name version base description searched versions tags files'.split(' '),
);

/**
 * Every copy of the value in which one value, at any depth, is replaced; without that value if the
 * replacement is undefined. `name` is the field or index that changed, '' for the whole value.
 */
function* replaceEach(
  value: unknown,
  replacement: unknown,
): Generator<{ readonly name: string; readonly changed: unknown }> {
  yield { name: '', changed: replacement };
  if (typeof value !== 'object' || value === null) return;
  const entries = Object.entries(value);
  for (const [name, inner] of entries) {
    for (const { name: innerName, changed } of replaceEach(inner, replacement)) {
      const kept = entries
        .map(([key, item]) => [key, key === name ? changed : item] as const)
        .filter(([, item]) => item !== undefined);
      yield {
        name: innerName || name,
        changed: Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept),
      };
    }
  }
}

/** Code of the VitrineError that the call throws; undefined when it returns. */
function codeThrown(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof VitrineError) return error.code;
    throw error;
  }
}

const garbage = fc.oneof(fc.jsonValue(), fc.constant(undefined));

describe('a response', () => {
  test.each(responses)('of %s is parsed, whatever else it has', (_, parse, response) => {
    expect(parse(response)).toEqual(response);
    expect(parse({ ...response, later: { version: 2 } })).toMatchObject(response);
  });

  test.each(responses)('of %s without a required field is rejected', (_, parse, response) => {
    for (const { name, changed } of replaceEach(response, undefined)) {
      if (!requiredFields.has(name)) continue;
      expect(
        codeThrown(() => parse(changed)),
        JSON.stringify(changed),
      ).toBe('unexpected');
    }
  });

  test.each(responses)('of %s with a value of another type is rejected', (_, parse, response) => {
    for (const replacement of [null, [null], { x: null }]) {
      for (const { changed } of replaceEach(response, replacement)) {
        expect(
          codeThrown(() => parse(changed)),
          JSON.stringify(changed),
        ).toBe('unexpected');
      }
    }
  });

  test.each(responses)('of %s that is garbage is rejected', (_, parse, response) => {
    fc.assert(
      fc.property(garbage, (value) => {
        expect(codeThrown(() => parse(value))).toBe('unexpected');
        for (const { changed } of replaceEach(response, value)) {
          expect([undefined, 'unexpected']).toContain(codeThrown(() => parse(changed)));
        }
      }),
    );
  });

  test('that failed has an error of the catalog, or none', () => {
    const parsed = parseErrorResponse({ code: 'package_not_found', details: 'a', more: 1 });
    expect(parsed).toMatchObject({ code: 'package_not_found', details: 'a' });
    expect(parseErrorResponse({ code: 'rate_limited' })?.details).toBeUndefined();
    fc.assert(
      fc.property(garbage, (value) => {
        expect(parseErrorResponse(value)).toBeUndefined();
        expect(parseErrorResponse({ code: value })).toBeUndefined();
      }),
    );
  });

  test('names the modules whose exports are all known', () => {
    expect(listFullExportUrls([described, built])).toEqual([built.base, `${built.base}/b`]);
  });
});

describe('a request', () => {
  test.each(requests)('to %s is parsed, without what it has besides', (_, parse, request) => {
    expect(parse(request)).toEqual(request);
    expect(parse({ ...request, later: 1 })).toEqual(request);
  });

  test.each(requests)('to %s that is garbage is rejected', (_, parse, request) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const { changed } of replaceEach(request, value)) {
          expect([undefined, 'bad_request']).toContain(codeThrown(() => parse(changed)));
        }
      }),
    );
    for (const replacement of [null, 7, { x: null }]) {
      for (const { name, changed } of replaceEach(request, replacement)) {
        // A request to cancel nothing is one.
        if (parse === parseCancelRequest && name === '' && typeof changed === 'object') continue;
        expect(
          codeThrown(() => parse(changed)),
          JSON.stringify(changed),
        ).toBe('bad_request');
      }
    }
  });

  test('with too many items is rejected', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
    expect(parseCancelRequest({ of: names(requestItemsMax) }).of).toHaveLength(requestItemsMax);
    expect(codeThrown(() => parseCancelRequest({ of: names(requestItemsMax + 1) }))).toBe(
      'bad_request',
    );
  });
});

test('the server sends what the parsers expect, and rejects requests that are none', async () => {
  await withPackageServer({ search: true }, async ({ registry, get, post }) => {
    registry.publish({
      name: 'a',
      version: '1.0.0',
      files: { 'index.js': 'export const a = 1;', 'index.d.ts': 'export const a: number;' },
      manifest: { type: 'module', main: 'index.js', types: 'index.d.ts', license: 'MIT' },
    });
    const json = async (response: Response): Promise<unknown> => response.json();

    const { lock, packages } = parseResolveResponse(
      await json(await post('resolve', { packageJson: '{}', add: [{ name: 'a' }] })),
    );
    const base = packages[0]?.base ?? '';
    expect((await get(base)).status).toBe(200);
    const registered = parseRegisterResponse(await json(await post('register', { lock })));
    expect(registered.packages).toMatchObject([
      { name: 'a', license: 'MIT', plain: expect.arrayContaining(['']) },
    ]);

    const of = base.slice('/npm/'.length);
    const progress = await json(await get(`/npm/-/progress?of=${of}`));
    expect(parseProgressResponse(progress).packages).toEqual({ [of]: 'ready' });
    const found = parseSearchResponse(await json(await get('/npm/-/search?text=a')));
    expect(found.packages[0]?.name).toBe('a');
    expect(parsePackageInfo(await json(await get('/npm/-/package/a'))).versions).toEqual(['1.0.0']);
    const types = parseTypesResponse(await json(await get(`/npm/-/types/${of}.json`)));
    expect(types.files['/node_modules/a/index.d.ts']).toContain('number');
    const failure = parseErrorResponse(await json(await get('/npm/-/package/b')));
    expect(failure?.code).toBe('package_not_found');

    for (const action of ['resolve', 'register', 'cancel'])
      for (const body of [null, 7, [], { packageJson: 1, lock: 1, of: 1 }])
        expect(await codeOf(await post(action, body))).toBe('bad_request');
  });
});
