import { encodePath, resolvePath } from '../resolve-path.ts';
import { rewriteCss } from '../rewrite-css.ts';

/** Returns a relative path. From "css/a.css": "css/b.css" → "b.css", "img/c.svg" → "../img/c.svg" */
export function getRelativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const segments = to.split('/');
  let common = 0;
  while (common < folders.length && folders[common] === segments[common]) common += 1;
  return [...folders.slice(common).map(() => '..'), ...segments.slice(common)].join('/');
}

/**
 * Rewrites `url(…)` of the project's files in a stylesheet that is inlined into another one (`to`), so
 * that they resolve to the same files. URLs that start with a variable stay.
 */
export function relocateUrls(css: string, from: string, to: string): string {
  if (folderOf(from) === folderOf(to)) return css;
  return rewriteCss(css, {
    rewriteUrl(url) {
      const target = /^[#$@/{]/.test(url) ? undefined : resolvePath(from, url);
      if (target === undefined) return undefined;
      const rest = /[?#].*$/.exec(url)?.[0] ?? '';
      return encodePath(getRelativePath(to, target)) + rest;
    },
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
