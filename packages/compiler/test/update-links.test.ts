import { describe, expect, test } from 'vitest';
import { readImportAliases } from '../src/import-aliases.ts';
import { updateLinks, type FileLink } from '../src/page/update-links.ts';

interface Case {
  readonly kind?: FileLink['kind'];
  /** Files that are not moved. */
  readonly others?: readonly string[];
  /** Files with aliases. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Returns the updated link when files move; `moves` are "from → to". */
function moved(
  path: string,
  address: string,
  moves: readonly string[],
  { kind = 'module', others = [], settings = {} }: Case = {},
): string {
  const map = new Map(
    moves.map((move): [string, string] => {
      const [from = '', to = ''] = move.split(' → ');
      return [from, to];
    }),
  );
  const paths = new Set([path, ...map.keys(), ...others]);
  const [edit] = updateLinks([{ from: 0, to: address.length, address, kind }], {
    path,
    moved: (each) => map.get(each) ?? each,
    exists: (each) => paths.has(each),
    aliases: readImportAliases((each) => settings[each]),
  });
  return edit?.insert ?? address;
}

describe('links after files were moved', () => {
  test('follow a module and keep their form', () => {
    expect(moved('main.js', './a.js', ['a.js → lib/b.js'])).toBe('./lib/b.js');
    expect(moved('src/main.ts', './a', ['src/a.ts → lib/a.ts'])).toBe('../lib/a');
    expect(moved('src/main.ts', './a.js', ['src/a.ts → src/b.ts'])).toBe('./b.js');
    expect(moved('main.tsx', './parts', ['parts/index.tsx → ui/index.tsx'])).toBe('./ui');
    expect(moved('main.tsx', './parts', ['parts/index.tsx → parts/all.tsx'])).toBe('./parts/all');
    expect(moved('main.js', '/a.js', ['a.js → lib/a.js'])).toBe('/lib/a.js');
    expect(moved('main.js', './a.svg?raw', ['a.svg → img/a.svg'])).toBe('./img/a.svg?raw');
  });

  test('keep their target when their own file moves', () => {
    const others = ['a.js', 'src/b.js'];
    expect(moved('main.js', './a.js', ['main.js → src/main.js'], { others })).toBe('../a.js');
    expect(moved('main.js', './src/b.js', ['main.js → src/main.js'], { others })).toBe('./b.js');
    expect(moved('main.js', '/a.js', ['main.js → src/main.js'], { others })).toBe('/a.js');
    const both = ['main.js → src/main.js', 'a.js → src/a.js'];
    expect(moved('main.js', './a.js', both)).toBe('./a.js');
  });

  test('stay unchanged for packages, other hosts and missing files', () => {
    for (const address of ['react', 'https://a.test/a.js', '//a.test/a.js', './gone.js', '#a'])
      expect(moved('main.js', address, ['a.js → lib/a.js'])).toBe(address);
  });

  test('keep their alias', () => {
    expect(moved('src/a.ts', '@/b', ['src/b.ts → src/lib/c.ts'])).toBe('@/lib/c');
    expect(moved('src/a.ts', '@/b.svg?raw', ['src/b.svg → src/c.svg'])).toBe('@/c.svg?raw');
    expect(moved('src/a.ts', '$lib/b', ['src/lib/b.ts → src/lib/c/index.ts'])).toBe('$lib/c/index');
    expect(moved('src/a.ts', '@/b', ['src/a.ts → src/x/a.ts'], { others: ['src/b.ts'] })).toBe(
      '@/b',
    );
    expect(moved('src/a.ts', '$lib/b', ['src/lib/b.ts → src/b.ts'])).toBe('./b');
    const options = { paths: { '@own/*': ['./own/*'], one: ['./own/one.ts'] } };
    const settings = { 'tsconfig.json': JSON.stringify({ compilerOptions: options }) };
    expect(moved('a.ts', '@own/b', ['own/b.ts → own/c/b.ts'], { settings })).toBe('@own/c/b');
    expect(moved('a.ts', 'one', ['own/one.ts → own/two.ts'], { settings })).toBe('./own/two.ts');
  });

  test('to files in public stay those at the root', () => {
    const address = { kind: 'address' as const };
    const move = ['public/vite.svg → public/img/logo.svg'];
    expect(moved('index.html', '/vite.svg', move, address)).toBe('/img/logo.svg');
    expect(moved('index.html', 'vite.svg#a', move, address)).toBe('img/logo.svg#a');
    expect(moved('index.html', 'public/vite.svg', move, address)).toBe('public/img/logo.svg');
    expect(moved('src/a.ts', '/vite.svg', move)).toBe('/img/logo.svg');
    expect(moved('src/a.ts', '/vite.svg', ['public/vite.svg → src/vite.svg'])).toBe(
      '/src/vite.svg',
    );
  });

  test('follow files in pages and styles, and get no dot if they had none', () => {
    const address = { kind: 'address' as const };
    expect(moved('index.html', 'a.css', ['a.css → css/a.css'], address)).toBe('css/a.css');
    expect(moved('index.html', './a.css', ['a.css → css/a.css'], address)).toBe('./css/a.css');
    expect(moved('css/a.css', '../i.svg#x', ['i.svg → css/i.svg'], address)).toBe('i.svg#x');
    expect(moved('index.html', 'b/', ['b/index.html → c/index.html'], address)).toBe('c/');
    expect(moved('index.html', 'a%20b.svg', ['a b.svg → c (d).svg'], address)).toBe(
      'c%20%28d%29.svg',
    );
  });

  test('follow Sass partials by their short names', () => {
    const style = { kind: 'style' as const };
    expect(moved('main.scss', 'parts/a', ['parts/_a.scss → ui/_b.scss'], style)).toBe('ui/b');
    expect(moved('main.scss', 'parts', ['parts/_index.scss → ui/_index.scss'], style)).toBe('ui');
    expect(
      moved('main.scss', 'a', ['main.scss → css/main.scss'], { ...style, others: ['a.scss'] }),
    ).toBe('../a');
  });

  test('resolve URLs in a script’s markup relative to the page', () => {
    const page = { kind: 'page-address' as const };
    const moves = ['src/App.tsx → src/ui/App.tsx'];
    expect(moved('src/App.tsx', 'a.svg', moves, { ...page, others: ['a.svg'] })).toBe('a.svg');
    expect(moved('src/App.tsx', 'a.svg', ['a.svg → img/a.svg'], page)).toBe('img/a.svg');
  });
});
