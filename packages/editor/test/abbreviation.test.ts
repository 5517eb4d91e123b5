import * as emmet from 'emmet';
import { describe, expect, test } from 'vitest';
import {
  expandAbbreviation,
  findAbbreviation,
  type AbbreviationKind,
} from '../src/language-service/abbreviation.ts';

/** Text before the cursor → its expansion. Undefined if Tab indents. */
function expand(kind: AbbreviationKind, line: string): string | undefined {
  const found = findAbbreviation(emmet, kind, line, line.length);
  return found && line.slice(0, found.from) + expandAbbreviation(emmet, kind, found.text);
}

const expansions: readonly (readonly [AbbreviationKind, string, string])[] = [
  ['html', 'p', '<p>${1}</p>'],
  ['html', '  section', '  <section>${1}</section>'],
  ['html', '<div>p', '<div><p>${1}</p>'],
  ['html', 'some ul>li', 'some <ul>\n\t<li>${1}</li>\n</ul>'],
  ['html', 'ul>li*2', '<ul>\n\t<li>${1}</li>\n\t<li>${2}</li>\n</ul>'],
  ['html', 'li.item$*2', '<li class="item1">${1}</li>\n<li class="item2">${2}</li>'],
  ['html', '.card', '<div class="card">${1}</div>'],
  ['html', '#top', '<div id="top">${1}</div>'],
  ['html', 'a[href=x]', '<a href="x">${1}</a>'],
  ['html', 'p{some text}', '<p>some text</p>'],
  ['html', 'h1+p', '<h1>${1}</h1>\n<p>${2}</p>'],
  ['html', '(b>i)*2', '<b><i>${1}</i></b><b><i>${2}</i></b>'],
  ['html', 'input:email', '<input type="email" name="${2}" id="${4}">'],
  ['html', 'btn', '<button>${1}</button>'],
  ['html', 'img', '<img src="${1}" alt="${2}">'],
  ['html', 'my-tag.x', '<my-tag class="x">${1}</my-tag>'],
  ['html', 'MyCard>p', '<MyCard>\n\t<p>${1}</p>\n</MyCard>'],
  ['jsx', '.card', '<div className="card">${1}</div>'],
  ['jsx', 'label[for=a]', '<label htmlFor="a">${1}</label>'],
  ['jsx', 'img', '<img src="${1}" alt="${2}" />'],
  ['css', '  m10', '  margin: 10px;'],
  ['css', 'a { p1-2', 'a { padding: 1px 2px;'],
  ['css', 'w100p', 'width: 100%;'],
  ['css', 'c#f', 'color: #fff;'],
  ['css', 'bgc', 'background-color: ${1:#fff};'],
  ['css', 'd:f', 'display: flex;'],
  ['css', 'm-a', 'margin: auto;'],
  ['css', 'color: red; fz2', 'color: red; font-size: 2px;'],
];

const unchanged: readonly (readonly [AbbreviationKind, string])[] = [
  ['html', ''],
  ['html', '   '],
  ['html', 'hello'],
  ['html', 'we have a'],
  ['html', 'It is done.'],
  ['html', 'see file.txt'],
  ['html', 'a tab, a code'],
  ['html', 'wow!'],
  ['html', '1 + 2'],
  ['html', 'you>me'],
  ['css', 'color: m10'],
  ['css', 'foo'],
  ['css', '.m10'],
  ['css', '}'],
  ['css', 'a { hello'],
  ['jsx', 'hello'],
];

describe('Emmet abbreviations', () => {
  test.for(expansions)('%s: expands %s', ([kind, line, wanted]) => {
    expect(expand(kind, line)).toBe(wanted);
  });

  test.for(unchanged)('%s: leaves "%s" unchanged', ([kind, line]) => {
    expect(expand(kind, line)).toBeUndefined();
  });

  test('expands ! to an HTML document', () => {
    expect(expand('html', '!')).toMatch(/^<!DOCTYPE html>[\s\S]*<\/html>$/);
  });
});
