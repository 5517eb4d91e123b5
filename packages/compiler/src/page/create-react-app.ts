/**
 * Pages in `public/index.html` that have no script of their own. create-react-app adds `src/index`,
 * CodeSandbox and Sandpack add the `main` of package.json; here a script tag is added.
 */
import { isRecord } from '@vitrine/project';
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
  { exists, main }: Pick<ModuleContext, 'exists' | 'main'>,
): string | undefined {
  if (!isTemplatePage(path) || exists('index.html') || /<script[^>]+type=["']?module/i.test(html))
    return undefined;
  const loadsScript = /<script[^>]+src\s*=\s*["']?(?!["']|(?:[a-z]+:)?\/\/)/i.test(html);
  const entry = main === undefined || loadsScript ? undefined : findModule('', `./${main}`, exists);
  return entry ?? findModule('src/index.html', './index', exists);
}

const servers = ['express', 'fastify', 'koa', '@hapi/hapi', 'hono', 'restify'];

/**
 * `main` of a package.json as a path in the project: "./src/index.js" → "src/index.js". Undefined if
 * `main` isn't a script of a page: in create-react-app, which ignores it, and in a Node server.
 */
export function readMain(manifest: unknown): string | undefined {
  if (!isRecord(manifest) || typeof manifest['main'] !== 'string') return undefined;
  const { dependencies, devDependencies, scripts } = manifest;
  const has = (name: string) =>
    [dependencies, devDependencies].some((each) => isRecord(each) && Object.hasOwn(each, name));
  const start = isRecord(scripts) ? scripts['start'] : undefined;
  const isServer =
    servers.some(has) || (typeof start === 'string' && /^(?:node|nodemon)\b/.test(start));
  const path = manifest['main'].replace(/^(?:\.?\/)+/, '');
  const isScript = /(?:\.[cm]?[jt]sx?|(?:^|\/)[^./]+)$/.test(path);
  return isServer || has('react-scripts') || !isScript ? undefined : path;
}
