import { findErrorCode, limits } from '@vitrine/project';
import { makeZip, type ZipEntry } from '@vitrine/testing/zip-archive';
import { expect, test } from 'vitest';
import {
  readArchive,
  readContent,
  type ArchivedFiles,
} from '../../app/account/archive/read-archive.ts';

const accountId = '0b9c8d7e-6f5a-4b3c-8d2e-1f0a9b8c7d6e';
const account = [
  json('account.json', { id: accountId }),
  json('profile.json', {}),
  json('sessions.json', []),
];
const folder = 'projects/birds-abc';
const project = {
  id: '6d1b8f2e-0c3a-4f5b-9a7d-2e4c6b8a0d1f',
  title: 'Birds',
  visibility: 'public',
  created_at: '2026-11-25T10:00:00Z',
};

function json(name: string, value: unknown): ZipEntry {
  return { name, content: JSON.stringify(value) };
}

const read = (entries: readonly ZipEntry[]) =>
  readArchive(new Blob([Uint8Array.from(makeZip([...entries]))]));

async function readTexts(files: ArchivedFiles): Promise<Record<string, unknown>> {
  const texts: Record<string, unknown> = {};
  for (const [path, file] of files) texts[path] = await readContent(file);
  return texts;
}

test('versions have the files of earlier ones, without what was removed', async () => {
  const version = (number: number, more: object = {}) =>
    json(`${folder}/versions/${number}/version.json`, {
      reason: 'named',
      message: `version ${number}`,
      created_at: '2026-11-25T10:00:00Z',
      ...more,
    });
  const { account: exported, projects } = await read([
    ...account,
    json(`${folder}/project.json`, { ...project, published_version: 10 }),
    // A file of the project, not a version.
    json(`${folder}/files/versions/3/version.json`, 'own'),
    version(1),
    { name: `${folder}/versions/1/files/a.txt`, content: 'a' },
    { name: `${folder}/versions/1/files/b.txt`, content: 'b' },
    version(2, { reason: 'pause', removed: ['a.txt'] }),
    version(10),
    { name: `${folder}/versions/10/files/c.txt`, content: '\uFEFFc' },
  ]);
  expect(exported).toBe(accountId);
  const [birds] = projects;
  expect(await readTexts(birds?.files ?? new Map())).toEqual({
    'versions/3/version.json': '"own"',
  });
  expect(birds?.versions.map(({ message }) => message)).toEqual(['version 1', 'version 10']);
  expect(birds?.publishedVersion).toBe(birds?.versions[1]);
  expect(await readTexts(birds?.versions[1]?.files ?? new Map())).toEqual({
    'b.txt': 'b',
    'c.txt': '\uFEFFc',
  });
});

test.each<[string, readonly ZipEntry[]]>([
  ['a path outside of its folder', [{ name: `${folder}/files/../../evil.js`, content: '' }]],
  ['a link', [{ name: `${folder}/files/a.js`, content: '/etc/passwd', mode: 0o120_777 }]],
  ['a project without an id', [json(`${folder}/project.json`, { ...project, id: '../x' })]],
  ['a collection without an id', [json('collections.json', [{ title: 'Best', projects: [] }])]],
  ['an account without an id', [json('account.json', { email: 'ann@example.org' })]],
  ['what isn’t JSON', [{ name: `${folder}/project.json`, content: '{' }]],
  [
    'a version of more files than a project may have',
    [
      json(`${folder}/versions/1/version.json`, {}),
      ...Array.from({ length: limits.projectMaxFiles + 1 }, (_, at) => ({
        name: `${folder}/versions/1/files/${at}.txt`,
        content: '',
      })),
    ],
  ],
])('an archive with %s is damaged', async (_, entries) => {
  const known = new Set(entries.map(({ name }) => name));
  const manifest = json(`${folder}/project.json`, project);
  const others = [...account, manifest].filter(({ name }) => !known.has(name));
  await expect(
    read([...others, ...entries]).then(
      () => 'read',
      (error: unknown) => findErrorCode(error),
    ),
  ).resolves.toBe('zip_damaged');
});
