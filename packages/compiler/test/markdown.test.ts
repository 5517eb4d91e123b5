import { describe, expect, it } from 'vitest';
import { compileMarkdown } from '../src/page/compile-markdown.ts';
import { createModuleContext, readProjectConfig } from '../src/index.ts';

function compile(text: string, files: Record<string, string> = {}) {
  const config = readProjectConfig(new Map(Object.entries({ 'notes.md': text, ...files })));
  const context = createModuleContext(config, { origin: '', fullExportUrls: new Set() });
  return compileMarkdown({ path: 'notes.md', text }, context);
}

async function load(text: string): Promise<unknown> {
  const module = compile(text).module ?? '';
  return (
    (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as { default: unknown }
  ).default;
}

describe('Markdown', () => {
  it('is HTML for scripts, as on GitHub', async () => {
    expect(await load('a ~~b~~ `c`\n\n- [x] d\n\n| e |\n| - |\n| f |')).toBe(
      '<p>a <del>b</del> <code>c</code></p>\n<ul>\n<li><input checked="" disabled="" type="checkbox"> d</li>\n</ul>\n<table>\n<thead>\n<tr>\n<th>e</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>f</td>\n</tr>\n</tbody></table>\n',
    );
  });

  it('adds anchors to headings', async () => {
    expect(await load('# What’s *new* here?\n# Ünïq\n# Ünïq')).toBe(
      '<h1 id="whats-new-here">What’s <em>new</em> here?</h1>\n<h1 id="ünïq">Ünïq</h1>\n<h1 id="ünïq-1">Ünïq</h1>\n',
    );
  });

  it('omits front matter, and nothing else between dashes', async () => {
    expect(await load('---\ntitle: A\n---\n# B')).toBe('<h1 id="b">B</h1>\n');
    expect(await load('a\n\n---\n\nb')).toBe('<p>a</p>\n<hr>\n<p>b</p>\n');
  });

  it('is a page titled by its first heading, or by the file name', () => {
    expect(compile('text\n\n# A *b* &amp; <i>c</i>').code).toMatch(/<title>A b &amp; c<\/title>/);
    expect(compile('text').code).toMatch(/^<!doctype html>[^]*<title>notes<\/title>/);
  });

  it('resolves imports of its scripts, and reports missing ones at their line', () => {
    const text = 'One\n\n<script type="module">\nimport "./a"; import "./no";\n</script>';
    const { code, absent } = compile(text, { 'a.ts': '' });
    expect(code).toContain('import "/a.ts"');
    expect(absent).toEqual([{ specifier: './no', line: 4, column: 23 }]);
  });
});
