// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../install.js';

const topFolders = ['apps', 'bench', 'docs', 'e2e', 'examples', 'packages', 'scripts', 'supabase'];
const files = [...readdirSync(root), ...topFolders.flatMap(listFiles)];
const docs = files.filter((path) =>
  /^(?:README|CONTRIBUTING)\.md$|^docs\/.*\.md$|^(?:apps|packages)\/[^/]+\/README\.md$/.test(path),
);

/** Names that aren't paths, or paths of files that an administrator or a user creates. */
const others = new Set([
  'moving/data.sql',
  'moving/owners.sql',
  'packages/first-build',
  'packages/open-react-mui-three-d3',
  'packages/warm',
  'supabase/supabase-js',
  'supabase/functions/.env',
]);

test.each(docs)('%s only names files and folders that exist', (doc) => {
  const text = readFileSync(join(root, doc), 'utf8').replace(/^```[^]*?^```/gm, '');
  const names = [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);
  expect(names.flatMap(expandBraces).filter((name) => !exists(name))).toEqual([]);
  const links = [...text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(root, dirname(doc), link)))).toEqual([]);
});

describe('a name', () => {
  test.each([
    'packages/gone',
    'apps/web/app/gone.tsx',
    'host/gone.ts',
    'gone.ts',
    'scripts/{gone,test}.js',
  ])('that doesn’t exist is found: %s', (name) =>
    expect(expandBraces(name).every(exists)).toBe(false),
  );
});

/**
 * Whether a name in code style exists: a path from the root, or the end of a path of a source file. `*` stands for any
 * name; names with capitals, such as `functions/NAME`, and any others aren't paths.
 * @param {string} name
 */
function exists(name) {
  if (others.has(name) || /[A-Z]{3}|[^\w@.*/[\]-]/.test(name)) return true;
  const path = name.replace(/\/$/, '');
  const fromRoot = topFolders.includes(path.split('/')[0] ?? '') && path.includes('/');
  if (!fromRoot && !/^(?:[^.@*].*\/)?[\w-]+\.(?:sql|tsx?)$/.test(path)) return true;
  const pattern = path.replace(/[.[\]]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
  const found = new RegExp(fromRoot ? `^${pattern}(?:/|$)` : `(?:^|/)${pattern}$`);
  return files.some((file) => found.test(file));
}

/**
 * `a/{b,c}.ts` → `a/b.ts`, `a/c.ts`
 * @param {string} name
 * @returns {string[]}
 */
function expandBraces(name) {
  const [whole, before = '', inner = '', after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(name) ?? [];
  if (whole === undefined) return [name];
  return inner.split(',').flatMap((each) => expandBraces(before + each + after));
}

/**
 * Files of a folder, without what is installed or built.
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return entry.name === 'node_modules' || path === 'apps/web/build' ? [] : listFiles(path);
  });
}
