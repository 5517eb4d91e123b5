import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  listRegistries,
  readRegistrySettings,
  getRegistryUrl,
} from '../src/registry/registry-settings.ts';

test('reads the registries, scopes and tokens that npm would use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-npmrc-'));
  try {
    await writeFile(join(folder, 'package.json'), '{}');
    await writeFile(
      join(folder, '.npmrc'),
      '@own:registry=https://npm.example.com/team\n//npm.example.com/team/:_authToken=${OWN_TOKEN}\n',
    );
    const settings = await readRegistrySettings({
      folder,
      env: { HOME: folder, OWN_TOKEN: 'secret', npm_config_registry: 'https://mirror.example.com' },
      tarballHosts: [],
    });
    expect(getRegistryUrl(settings, 'three').href).toBe('https://mirror.example.com/');
    expect(getRegistryUrl(settings, '@other/x').href).toBe('https://mirror.example.com/');
    expect(getRegistryUrl(settings, '@own/x').href).toBe('https://npm.example.com/team/');
    expect(settings.npm['//npm.example.com/team/:_authToken']).toBe('secret');
    expect(listRegistries(settings).map(({ host }) => host)).toEqual([
      'mirror.example.com',
      'npm.example.com',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
