import { resolvePath } from './resolve-path.ts';

export interface CssImport {
  address: string;
  /** What stands between the address and the semicolon: `layer(x) supports(…) print`. */
  conditions: string;
}

export interface CssRewriter {
  /** A new address for `url(…)`; undefined leaves it. */
  rewriteUrl?(address: string): string | undefined;
  /** What to put in place of an `@import`, whole; undefined leaves it. */
  rewriteImport?(found: CssImport): string | undefined;
}

const string = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const url = String.raw`url\(\s*(?:${string}|[^\s"'()]*)\s*\)`;
const token = new RegExp(
  String.raw`/\*[\s\S]*?(?:\*/|$)|@import\s+(${url}|${string})([^;{}]*)(?:;|$)|${string}|(${url})`,
  'gi',
);

/** Rewrites addresses in a stylesheet; comments and other strings stay untouched. */
export function rewriteCss(css: string, rewriter: CssRewriter): string {
  return css.replace(token, (whole, imported?: string, conditions?: string, address?: string) => {
    if (imported !== undefined) {
      const found = { address: readAddress(imported), conditions: (conditions ?? '').trim() };
      return rewriter.rewriteImport?.(found) ?? whole;
    }
    if (address === undefined) return whole;
    const rewritten = rewriter.rewriteUrl?.(readAddress(address));
    return rewritten === undefined ? whole : `url("${rewritten.replaceAll('"', '%22')}")`;
  });
}

/** `url( "a.css" )`, `'a.css'` → `a.css` */
function readAddress(text: string): string {
  const inner = text.replace(/^url\(\s*/i, '').replace(/\s*\)$/, text.startsWith('"') ? ')' : '');
  return /^["']/.test(inner) ? inner.slice(1, -1) : inner;
}

/**
 * A stylesheet with the files it imports in place of its `@import`s, so that it stands alone.
 * `addressOf` says where each file that it names is found; imports of elsewhere stay, first.
 */
export function flattenCss(
  path: string,
  read: (path: string) => string | undefined,
  addressOf: (path: string) => string | undefined,
): string {
  const external: string[] = [];
  const flatten = (at: string, css: string, above: readonly string[]): string =>
    rewriteCss(css, {
      rewriteUrl: (address) => {
        const target = resolvePath(at, address);
        const found = target === undefined ? undefined : addressOf(target);
        return found === undefined ? undefined : found + fragmentOf(address);
      },
      rewriteImport: ({ address, conditions }) => {
        const target = resolvePath(at, address);
        const text = target === undefined ? undefined : read(target);
        if (target === undefined || text === undefined) {
          // One that is missing is asked for all the same, so that the browser tells of it.
          const asked = target === undefined ? address : addressOf(target);
          if (asked !== undefined) external.push(`@import url("${asked}") ${conditions};\n`);
          return '';
        }
        // A circle of imports ends where it began, as in the browser.
        if (above.includes(target)) return '';
        return applyConditions(flatten(target, text, [...above, target]), conditions);
      },
    });
  const flat = flatten(path, read(path) ?? '', [path]);
  return external.join('') + flat;
}

/** "a.svg#part" → "#part"; '' where there is none. */
export function fragmentOf(address: string): string {
  return address.includes('#') ? address.slice(address.indexOf('#')) : '';
}

/** `layer(base) supports(display: grid) print` around a text → nested rules. */
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

/** The project's stylesheets that a stylesheet imports. */
export function findCssImports(path: string, css: string): string[] {
  const found: string[] = [];
  rewriteCss(css, {
    rewriteImport: ({ address }) => {
      const target = resolvePath(path, address);
      if (target !== undefined) found.push(target);
      return undefined;
    },
  });
  return found;
}
