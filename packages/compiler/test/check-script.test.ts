import { describe, expect, it } from 'vitest';
import { checkInlineScripts, checkScript } from '../src/index.ts';

describe('checking a script', () => {
  it('accepts both modules and classic scripts if the kind is unknown', () => {
    expect(checkScript(`import a from './a.js'; await a`, 'either')).toBe(undefined);
    expect(checkScript(`with (a) { var public = 010 }`, 'either')).toBe(undefined);
  });

  it('describes an error and its position', () => {
    expect(checkScript('const a = 1;\nconst b = ;', 'module')).toEqual({
      message: 'Missing value between “=” and “;”.',
      line: 2,
      column: 11,
    });
    expect(checkScript('if (a) {', 'classic')?.message).toBe(
      'Unexpected end of code: the “{” on line 1 isn’t closed.',
    );
    expect(checkScript('let a; let a;', 'module')?.message).toBe('“a” is already declared.');
  });

  it('treats a script with imports as a module when neither kind parses', () => {
    const problem = checkScript(`import a from './a.js';\nlet b = ;`, 'either');
    expect(problem).toMatchObject({ line: 2 });
  });
});

describe('checking a document', () => {
  it('finds a syntax error in an inline script, with its position in the document', () => {
    expect(checkInlineScripts('<p>\n<script>let a = 1;\nlet b = ;</script>')).toMatchObject({
      line: 3,
      column: 9,
    });
    expect(checkInlineScripts('<p><script>let = ;</script>')).toMatchObject({
      line: 1,
      column: 18,
    });
  });

  it('ignores data blocks and external scripts', () => {
    const html = `<script type="application/json">{]</script><script src="a.js">{]</script>
<script type="text/template">{]</script><script type=module>await 1</script>`;
    expect(checkInlineScripts(html)).toBe(undefined);
  });
});
