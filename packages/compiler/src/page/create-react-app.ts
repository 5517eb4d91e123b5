/**
 * The page of create-react-app: `public/index.html`, which has no script of its own. Its build adds
 * `src/index`; here a script tag is added where the page doesn't have one.
 */
import { findModule } from '../find-module.ts';
import type { ModuleContext } from '../compile-context.ts';

/** Whether a page may be the template of a build. */
export function isTemplatePage(path: string): boolean {
  return path === 'public/index.html';
}

/** Returns the path of the script that a page runs without naming it; undefined for other pages. */
export function findImplicitEntry(
  path: string,
  html: string,
  { exists }: Pick<ModuleContext, 'exists'>,
): string | undefined {
  if (!isTemplatePage(path) || exists('index.html') || /<script[^>]+type=["']?module/i.test(html))
    return undefined;
  return findModule('src/index.html', './index', exists);
}
