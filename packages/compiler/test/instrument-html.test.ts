import fc from 'fast-check';
import { parse, serialize, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { instrumentHtml, getPosition } from '../src/index.ts';

const runtime = { src: '/frame.js', data: { path: 'index.html' } };

/** Parses a document, and returns its tree without the inserted script, and the script. */
function readTree(html: string) {
  const document = parse(html);
  const scripts: DefaultTreeAdapterTypes.Element[] = [];
  const strip = (node: DefaultTreeAdapterTypes.ParentNode) => {
    for (const child of node.childNodes.slice()) {
      if ('tagName' in child && child.tagName === 'script' && isOurs(child)) {
        scripts.push(child);
        node.childNodes.splice(node.childNodes.indexOf(child), 1);
      } else if ('childNodes' in child) strip(child);
    }
  };
  const isOurs = (element: DefaultTreeAdapterTypes.Element) =>
    element.attrs.some(({ name, value }) => name === 'src' && value === '/frame.js');
  strip(document);
  return { mode: document.mode, html: serialize(document), scripts };
}

describe('a document with the runtime script', () => {
  it.each([
    ['<!doctype html><title>A</title>', '<!doctype html><script'],
    ['<p>Hi', '<script'],
    ['<!-- a --><!doctype html>\n<html lang="a>b">\n<head>\n<title>', '<head><script'],
    ['<HTML><BODY>', '<HTML><script'],
    ['<head data-x=1><meta>', '<head data-x=1><script'],
    ['<header>Not a head</header>', '<script'],
    ['\uFEFF<!DOCTYPE html>x', '<!DOCTYPE html><script'],
  ])('has the script first in the head: %j', (html, expected) => {
    expect(instrumentHtml(html, runtime)).toContain(expected);
  });

  it('contains the position of the script, to correct columns', () => {
    const html = '<!doctype html>\n<head><script>missing()</script>';
    const output = instrumentHtml(html, runtime);
    const [, line, column, length] = /data-shift="(\d+):(\d+):(\d+)"/.exec(output) ?? [];
    expect([Number(line), Number(column)]).toEqual([2, 7]);
    expect(output.length - html.length).toBe(Number(length));
  });

  it('escapes data attributes', () => {
    expect(instrumentHtml('', { src: '/f', data: { path: '"><b>' } })).toContain(
      'data-path="&quot;>&lt;b>"',
    );
  });

  const part = fc.constantFrom(
    '<!doctype html>',
    '<!DOCTYPE',
    '<html>',
    '<html lang="a>b" x>',
    '<html',
    '<head>',
    '<head/>',
    '<head =a="x>">',
    "<head a='>",
    '</head>',
    '<body>',
    '<body class=a>',
    '<title>T</title>',
    '</html>',
    '<!-- c -->',
    '<!--',
    '-->',
    '<!-->',
    '<!--->',
    '--!>',
    '<!x>',
    '<?php ?>',
    '</ >',
    '</3>',
    '</p>',
    '<p>',
    'text',
    ' ',
    '\n',
    '\t',
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    '<meta a=b>',
    '<script>1</script>',
    '<header>',
    '<HTML>',
    '<HEAD >',
    '\uFEFF',
    '&amp;',
    '<style>a{}</style>',
    '<frameset>',
    '<svg>',
  );

  it('is otherwise the same, for random documents', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const html = parts.join('');
        // Dashes at the end of an unclosed comment become part of its end.
        fc.pre(!html.endsWith('-'));
        const output = instrumentHtml(html, runtime);
        const [before, after] = [readTree(html), readTree(output)];
        expect(after.html).toBe(before.html);
        expect(after.mode).toBe(before.mode);
        expect(output.split('\n').length).toBe(html.split('\n').length);
      }),
      { numRuns: 5_000, verbose: 1 },
    );
  });

  it('returns the line and column of an index', () => {
    expect(getPosition('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
    expect(getPosition('ab\ncd', 2)).toEqual({ line: 1, column: 3 });
    expect(getPosition('', 0)).toEqual({ line: 1, column: 1 });
  });
});
