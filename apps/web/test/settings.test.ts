import { StartupError } from '@vitrine/backend';
import { describe, expect, test } from 'vitest';
import { parseSettings, assertIsolatedHosts } from '../server/settings.ts';

describe('SB-01: the hosts', () => {
  test.each([
    ['localhost:3000', 'localhost:3001'],
    ['127.0.0.1:3000', '127.0.0.1:3001'],
    ['vitrine.localhost:4000', '127.0.0.1:4000'],
    ['vitrine.localhost:4000', 'pv.vitrine.localhost:4000'],
    ['app.example.com', 'preview.example.com'],
    ['play.example.co.uk', 'results.example.co.uk'],
  ])('app %s with previews at %s is rejected with a message that names both', (app, preview) => {
    expect(() => assertIsolatedHosts(app, preview)).toThrow(StartupError);
    expect(() => assertIsolatedHosts(app, preview)).toThrow(new RegExp(`${preview}.*${app}`));
  });

  test.each([
    ['vitrine.localhost:4000', 'vitrine-preview.localhost:4000'],
    ['play.example.com', 'example-results.net'],
    ['a.github.io', 'b.github.io'],
  ])('app %s with previews at %s starts', (app, preview) => {
    expect(() => assertIsolatedHosts(app, preview)).not.toThrow();
  });
});

describe('a listener reachable from other machines', () => {
  test('requires a public origin', () => {
    expect(() => parseSettings({ LISTEN: '0.0.0.0' })).toThrow(/PUBLIC_ORIGIN/);
  });

  test('requires a preview host, or “none”', () => {
    const env = { LISTEN: '0.0.0.0', PUBLIC_ORIGIN: 'https://play.example.com' };
    expect(() => parseSettings(env)).toThrow(/PREVIEW_HOST/);
    expect(parseSettings({ ...env, PREVIEW_HOST: 'none' }).previewHost).toBeNull();
    expect(parseSettings({ ...env, PREVIEW_HOST: 'example-results.net' }).previewHost).toBe(
      'example-results.net',
    );
  });
});

test('without settings, listens on loopback with everything embedded', () => {
  expect(parseSettings({})).toMatchObject({
    port: 4000,
    listen: '127.0.0.1',
    publicOrigin: 'http://vitrine.localhost:4000',
    previewHost: 'vitrine-preview.localhost:4000',
    hosted: null,
    mail: null,
    authConfig: null,
    confirmEmail: false,
    invitationLinkVerifies: false,
  });
});

test.each([
  [{ PORT: 'http' }, /PORT/],
  [{ PORT: '70000' }, /PORT/],
  [{ PUBLIC_ORIGIN: 'play.example.com' }, /PUBLIC_ORIGIN/],
  [{ PUBLIC_ORIGIN: 'https://play.example.com/app' }, /PUBLIC_ORIGIN/],
  [{ PREVIEW_HOST: 'https://x.net' }, /PREVIEW_HOST/],
  [{ SUPABASE_URL: 'https://x.example.net' }, /SUPABASE_PUBLISHABLE_KEY/],
  [{ CONFIRM_EMAIL: 'perhaps' }, /CONFIRM_EMAIL/],
  [{ IMPORT_LINKS: 'some' }, /IMPORT_LINKS/],
  [{ IMPORT_MIRROR: 'mirror.example' }, /IMPORT_MIRROR/],
  [{ INVITATION_LINK_VERIFIES: 'yes' }, /INVITATION_LINK_VERIFIES/],
])('%j is rejected with the variable’s name', (env, message) => {
  expect(() => parseSettings(env)).toThrow(message);
});
