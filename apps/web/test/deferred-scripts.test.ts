import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { navigation, startVitrine, type Vitrine } from './vitrine.ts';

/*
 * What the pages of saved projects expect of React Router's `<Scripts>`. A new version of the
 * router that renders it in another way fails here, with what has to change.
 */

let vitrine: Vitrine;
/** Pages as the server renders them: of a saved project, and one without a preview. */
let project: string;
let signIn: string;

beforeAll(async () => {
  vitrine = await startVitrine({ CONFIRM_EMAIL: 'false' });
  signIn = (await vitrine.request('/auth/sign-in', { headers: navigation })).body;
  const owner = await vitrine.signUp('olga');
  const created = await vitrine.request('/rest/v1/rpc/create_project', {
    method: 'POST',
    headers: {
      apikey: /sb_publishable_[\w-]+/.exec(signIn)?.[0] ?? '',
      authorization: `Bearer ${owner.accessToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      id: randomUUID(),
      title: 'Deferred',
      description: '',
      visibility: 'public',
      settings: {},
      files: [{ path: 'index.html', content: '<h1>Deferred</h1>' }],
      state: 'AAA=',
      state_sha256: createHash('sha256')
        .update(Buffer.from([0, 0]))
        .digest('hex'),
    }),
  });
  expect(created.status).toBe(200);
  const { slug } = JSON.parse(created.body) as { slug: string };
  project = (await vitrine.request(`/@olga/${slug}`, { headers: navigation })).body;
}, 120_000);
afterAll(() => vitrine.close());

const tagsOf = (page: string) => page.match(/<(?:script|link)\b[^>]*>/g) ?? [];

test('the page of a saved project starts its preview by an inline script in the head', () => {
  const head = project.slice(0, project.indexOf('</head>'));
  expect(head, 'The page has no prerendered preview, so the other tests prove nothing.').toMatch(
    /window\.deferredScripts\s*=/,
  );
});

test('no script of the app starts before the preview', () => {
  const running = tagsOf(project).filter((tag) => /="module(?:preload)?"/.test(tag));
  expect(
    running,
    'React Router renders module scripts or their preloads in another way, so they run before ' +
      'the preview has loaded. Change defer() in app/workspace/bootstrap/deferred-scripts.tsx.',
  ).toEqual([]);
});

test('the deferred scripts are those that start the app', () => {
  expect(
    project,
    'React Router no longer starts the app from one inline module script of <Scripts>. Find out ' +
      'what starts it, and whether installDeferredScripts() activates that.',
  ).toMatch(/<script [^>]*type="deferred"[^>]*>[^<]*__reactRouterRouteModules[^<]*import\(/);
  expect(
    tagsOf(project).filter((tag) => tag.startsWith('<link') && tag.includes('rel="deferred"')),
    'React Router no longer preloads its modules by <link> elements of <Scripts>. They are ' +
      'fetched before the preview, or late.',
  ).not.toEqual([]);
});

test('the deferred scripts of the early editor are marked to be started first', () => {
  const first = tagsOf(project).filter((tag) => tag.includes('data-first'));
  expect(first.some((tag) => tag.startsWith('<script'))).toBe(true);
  expect(first.every((tag) => tag.includes('="deferred"'))).toBe(true);
});

test('a page without a preview starts its scripts at once', () => {
  expect(signIn).not.toContain('="deferred"');
  expect(signIn).toMatch(/<script [^>]*type="module"/);
});
