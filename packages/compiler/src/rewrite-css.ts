import { resolvePath } from './resolve-path.ts';

interface CssImport {
  url: string;
  /** The text between the URL and the semicolon: `layer(x) supports(…) print`. */
  conditions: string;
}

export interface CssUrlRewriter {
  /** Returns a new URL for `url(…)`; undefined to keep it. */
  rewriteUrl?(url: string): string | undefined;
  /** Returns the replacement of a whole `@import`; undefined to keep it. */
  rewriteImport?(found: CssImport): string | undefined;
}

const stringPattern = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const urlPattern = String.raw`url\(\s*(?:${stringPattern}|[^\s"'()]*)\s*\)`;
const token = new RegExp(
  String.raw`/\*[\s\S]*?(?:\*/|$)|@import\s+(${urlPattern}|${stringPattern})([^;{}]*)(?:;|$)|${stringPattern}|(${urlPattern})`,
  'gi',
);

/** Rewrites URLs in a stylesheet; comments and other strings stay unchanged. */
export function rewriteCss(css: string, rewriter: CssUrlRewriter): string {
  return css.replace(token, (whole, imported?: string, conditions?: string, url?: string) => {
    if (imported !== undefined) {
      const found = { url: unquoteUrl(imported), conditions: (conditions ?? '').trim() };
      return rewriter.rewriteImport?.(found) ?? whole;
    }
    if (url === undefined) return whole;
    const rewritten = rewriter.rewriteUrl?.(unquoteUrl(url));
    return rewritten === undefined ? whole : `url("${rewritten.replaceAll('"', '%22')}")`;
  });
}

/** `url( "a.css" )`, `'a.css'` → `a.css` */
function unquoteUrl(text: string): string {
  const inner = text.replace(/^url\(\s*/i, '').replace(/\s*\)$/, text.startsWith('"') ? ')' : '');
  return /^["']/.test(inner) ? inner.slice(1, -1) : inner;
}

/**
 * Inlines the imported files of a stylesheet. `getUrl` returns the URL of each file it refers to.
 * Imports of external stylesheets stay and are moved to the start.
 */
export function flattenCss(
  path: string,
  read: (path: string) => string | undefined,
  getUrl: (path: string) => string | undefined,
): string {
  const external: string[] = [];
  const flatten = (at: string, css: string, importers: readonly string[]): string =>
    rewriteCss(css, {
      rewriteUrl: (url) => {
        const target = resolvePath(at, url);
        const found = target === undefined ? undefined : getUrl(target);
        return found === undefined ? undefined : found + getUrlFragment(url);
      },
      rewriteImport: ({ url, conditions }) => {
        const target = resolvePath(at, url);
        const text = target === undefined ? undefined : read(target);
        if (target === undefined || text === undefined) {
          // A missing stylesheet is still requested, so that the browser reports it.
          const importUrl = target === undefined ? url : getUrl(target);
          if (importUrl !== undefined)
            external.push(`@import url("${importUrl}") ${conditions};\n`);
          return '';
        }
        // Circular imports are ignored, as in browsers.
        if (importers.includes(target)) return '';
        return applyConditions(flatten(target, text, [...importers, target]), conditions);
      },
    });
  const flat = flatten(path, read(path) ?? '', [path]);
  return external.join('') + flat;
}

/** "a.svg#part" → "#part"; '' if there is none. */
export function getUrlFragment(url: string): string {
  return url.includes('#') ? url.slice(url.indexOf('#')) : '';
}

/** Wraps a text in rules for conditions such as `layer(base) supports(display: grid) print`. */
function applyConditions(css: string, conditions: string): string {
  const layer = /^layer(?:\(([^)]*)\))?(?=\s|$)/i.exec(conditions);
  const afterLayer = conditions.slice(layer?.[0].length ?? 0).trim();
  const supports = /^supports\(((?:[^()]|\([^()]*\))*)\)/i.exec(afterLayer);
  const media = afterLayer.slice(supports?.[0].length ?? 0).trim();
  let text = css;
  if (layer) text = `@layer ${layer[1] ?? ''} {${text}}`;
  if (supports?.[1]) {
    const test = /^\s*(?:\(|not\b)/.test(supports[1]) ? supports[1] : `(${supports[1]})`;
    text = `@supports ${test} {${text}}`;
  }
  return media === '' ? text : `@media ${media} {${text}}`;
}

/** Finds the project's stylesheets that a stylesheet imports. */
export function findCssImports(path: string, css: string): string[] {
  const found: string[] = [];
  rewriteCss(css, {
    rewriteImport: ({ url }) => {
      const target = resolvePath(path, url);
      if (target !== undefined) found.push(target);
      return undefined;
    },
  });
  return found;
}
