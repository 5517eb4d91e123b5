import { readdirSync, readFileSync } from 'node:fs';
import { isRecord } from '@vitrine/project';
import { describe, expect, test } from 'vitest';
import { listExamples } from '../app/projects/examples.server.ts';
import { searchTemplates, type Template } from '../app/templates/template.ts';

const { templates } = listExamples();

/** Packages of a lockfile, as "react@19.3.1 sha512-…". */
function listPackages(lockfile: string): string[] {
  const parsed: unknown = JSON.parse(lockfile);
  const packages = isRecord(parsed) && isRecord(parsed.packages) ? parsed.packages : {};
  return Object.entries(packages).flatMap(([path, entry]) =>
    path.includes('node_modules/') && isRecord(entry)
      ? [
          `${path.replace(/^.*node_modules\//, '')}@${String(entry.version)} ${String(entry.integrity)}`,
        ]
      : [],
  );
}

const installed = new Set(
  listPackages(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')),
);

test('there are at least sixteen templates, each with a mark and a short line of its own', () => {
  expect(templates.length).toBeGreaterThanOrEqual(16);
  for (const each of [
    templates.map(({ mark }) => mark),
    templates.map(({ description }) => description),
  ])
    expect(new Set(each).size).toBe(each.length);
  expect(templates.filter(({ mark }) => mark.length < 1 || mark.length > 3)).toEqual([]);
  expect(templates.filter(({ description }) => description.length > 48)).toEqual([]);
});

describe.each(templates.map(({ slug }) => slug))('the template %s', (slug) => {
  const folder = new URL(`../../../examples/${slug}/`, import.meta.url);
  const files = new Map(
    readdirSync(folder).map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
  );

  test('needs a registry if, and only if, this instance doesn’t carry a package of it', () => {
    const packages = listPackages(files.get('package-lock.json') ?? '{}');
    const missing = packages.filter((name) => !installed.has(name));
    const needsRegistry = templates.find((template) => template.slug === slug)?.needsRegistry;
    expect(missing.length > 0).toBe(needsRegistry);
    expect(packages.length > 0).toBe(files.has('package.json'));
  });

  test('has a page with language, viewport and title, and loads nothing from other hosts', () => {
    const page = files.get('index.html');
    if (page === undefined) return expect([...files.keys()]).toContain('index.md');
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"');
    expect(page).toMatch(/<title>[^<]+<\/title>/);
    files.delete('package-lock.json');
    const text = [...files.values()].join('\n');
    expect(text).not.toMatch(/https?:\/\//);
    if (slug !== 'empty') expect(text).toMatch(/\bdark\b/);
  });
});

describe('the search', () => {
  const create = (title: string, description: string, tags: string[] = []): Template => ({
    path: title.toLowerCase(),
    title,
    description,
    tags,
    mark: 'X',
    author: title === 'Café' ? 'zoë' : null,
    needsRegistry: false,
  });
  const all = [
    create('React', 'A component.', ['typescript']),
    create('TypeScript', 'A typed script.'),
    create('Web components', 'A custom element.', ['shadow dom']),
    create('Café', 'A menu.'),
  ];
  const search = (query: string) => searchTemplates(all, query).map(({ title }) => title);

  test.each([
    ['', ['React', 'TypeScript', 'Web components', 'Café']],
    ['  Type ', ['TypeScript', 'React']],
    ['typescript component', ['React']],
    ['element  WEB', ['Web components']],
    ['shadow', ['Web components']],
    ['cafe', ['Café']],
    ['ZOE', ['Café']],
    ['cobol', []],
    ['.*', []],
  ])('finds for “%s” every word in any order, titles that start with it first', (query, titles) => {
    expect(search(query)).toEqual(titles);
  });
});
