/** Compiles GitHub Flavored Markdown to a page, and to HTML for scripts to import. */
import { Marked, type Tokens } from 'marked';
import { createDefaultExport } from '../asset-modules.ts';
import { compilePage } from './compile-page.ts';
import { unchangedFile, type CompiledText } from '../compiled-file.ts';
import { getPosition } from './instrument-html.ts';
import type { ModuleContext, ModuleSource } from '../compile-context.ts';

/** Compiles a Markdown file. HTML in it isn't sanitized: it is user code that runs only in the preview. */
export function compileMarkdown(source: ModuleSource, context: ModuleContext): CompiledText {
  const body = toHtml(removeFrontMatter(source.text));
  const page = createPage(source.path, body);
  const { code, missing, absent } = compilePage({ path: source.path, text: page }, context);
  // Positions in the page don't match the file, so specifiers are searched in the source.
  const inSource = <Import extends { specifier: string }>(found: Import) => ({
    ...found,
    ...getPosition(source.text, Math.max(0, source.text.indexOf(found.specifier))),
  });
  return {
    ...unchangedFile,
    code: code ?? page,
    module: createDefaultExport(body),
    missing: missing.map(inSource),
    absent: absent.map(inSource),
  };
}

/** Converts a Markdown file to a page; imports of its inline scripts stay as written. */
export function renderMarkdownPage(path: string, text: string): string {
  return createPage(path, toHtml(removeFrontMatter(text)));
}

/** Removes front matter: metadata between two lines of dashes at the start. */
function removeFrontMatter(text: string): string {
  return text.replace(/^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '');
}

function toHtml(text: string): string {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading) {
        const anchor = createAnchor(words, anchors);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  return marked.parse(text, { async: false });
}

/** "What's new?" → "whats-new", a second one "whats-new-1", like GitHub. */
function createAnchor(words: string, used: Map<string, number>): string {
  const name = words
    .toLowerCase()
    .replace(/<[^>]*>/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const count = used.get(name) ?? 0;
  used.set(name, count + 1);
  return count === 0 ? name : `${name}-${count}`;
}

function createPage(path: string, body: string): string {
  const heading = /<h1[^>]*>([\s\S]*?)<\/h1>/
    .exec(body)?.[1]
    ?.replace(/<[^>]*>/g, '')
    .trim();
  const title = heading || escapeText(path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, ''));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${body}</main>
</body>
</html>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Default styles for light and dark, phone to desktop. `:where` makes them easy to override. */
const pageStyle = `
:where(html) { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; color: light-dark(#23211d, #e9e6e0); background: light-dark(#fffefb, #1b1a18); overflow-wrap: break-word; }
:where(body) { margin: 0; }
:where(main) { max-width: 68ch; margin: 0 auto; padding: clamp(24px, 6vw, 72px) 20px; }
:where(h1, h2, h3, h4, h5, h6) { margin: 1.8em 0 0.5em; line-height: 1.2; text-wrap: balance; }
:where(h1) { margin-top: 0; font-size: 2.2em; letter-spacing: -0.02em; }
:where(h2) { font-size: 1.45em; letter-spacing: -0.01em; }
:where(h3) { font-size: 1.15em; }
:where(h4, h5, h6) { font-size: 1em; }
:where(p, ul, ol, pre, table, blockquote, figure) { margin: 0 0 1.1em; }
:where(ul, ol) { padding-left: 1.4em; }
:where(li) { margin: 0.25em 0; }
:where(li:has(> input[type="checkbox"])) { list-style: none; margin-left: -1.4em; }
:where(a) { color: light-dark(#a03c12, #f0a878); text-underline-offset: 0.15em; }
:where(img, video, svg) { max-width: 100%; height: auto; border-radius: 6px; }
:where(code, kbd) { padding: 0.1em 0.3em; border-radius: 4px; background: light-dark(#f1eee7, #2b2925); font: 0.88em ui-monospace, monospace; }
:where(pre) { padding: 14px 16px; overflow-x: auto; border-radius: 8px; background: light-dark(#f6f3ec, #242220); line-height: 1.5; }
:where(pre code) { padding: 0; background: none; }
:where(blockquote) { margin-inline: 0; padding-left: 1em; border-left: 3px solid light-dark(#ddd6c8, #47433b); color: light-dark(#5f5a50, #b5afa4); }
:where(hr) { margin: 2.4em 0; border: 0; border-top: 1px solid light-dark(#ddd6c8, #47433b); }
:where(table) { display: block; overflow-x: auto; border-collapse: collapse; }
:where(th, td) { padding: 6px 12px 6px 0; border-bottom: 1px solid light-dark(#ddd6c8, #47433b); text-align: left; vertical-align: top; }
`;
