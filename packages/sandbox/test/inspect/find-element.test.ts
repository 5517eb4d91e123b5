import { describe, expect, it } from 'vitest';
import { findElement } from '../../src/host/find-element.ts';

const element = (name: string, attributes: [string, string][], index = 0, count = 1) => ({
  id: 0,
  markup: '',
  name,
  attributes,
  index,
  count,
  made: { path: '', line: 0, column: 0 },
});

describe('P-48 an element', () => {
  it('is located at the start tag with exactly its attributes', () => {
    const html = '<img src="a.png" alt=""><img src="a.png"><IMG SRC=b.png>';
    expect(findElement(html, element('img', [['src', 'a.png']], 1, 3))).toBe(24);
    expect(findElement(html, element('img', [['src', 'b.png']], 2, 3))).toBe(41);
  });

  it('is distinguished from equal ones by its index, unless scripts have added or removed some', () => {
    const html = '<p></p><button></button><button></button>';
    expect(findElement(html, element('button', [], 1, 2))).toBe(24);
    expect(findElement(html, element('button', [], 1, 3))).toBe(undefined);
  });

  it('is not searched in comments, scripts and quoted text', () => {
    const html = `<!-- <img> --><script>'<img>'</script><p title="<img>"></p><img>`;
    expect(findElement(html, element('img', []))).toBe(html.lastIndexOf('<img>'));
  });

  it('may contain character references and both kinds of quotes', () => {
    const html = `<a href='?a=1&amp;b="2"' hidden>x</a>`;
    const attributes: [string, string][] = [
      ['href', '?a=1&b="2"'],
      ['hidden', ''],
    ];
    expect(findElement(html, element('a', attributes))).toBe(0);
  });

  it('that a script created has no location', () => {
    expect(findElement('<p id="a"></p>', element('p', [['id', 'b']]))).toBe(undefined);
  });
});
