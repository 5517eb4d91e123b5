/** URLs that a run opens on a project's origin. */
import { runParameter } from './protocol.ts';

/** Creates a run's id: 32 hexadecimal digits. */
export function createRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** URL of the empty page that hands the first files to the service worker. */
export function createBootUrl(origin: string, run: string): string {
  return `${origin}/__vitrine/boot?${runParameter}=${run}`;
}

/** URL of a page of the project: "about/index.html" → "ORIGIN/about/?__vitrine=RUN" */
export function createPageUrl(origin: string, path: string, runParameterValue: string): string {
  const url = new URL(origin);
  url.pathname = path.replace(/(^|\/)index\.html$/, '$1');
  url.searchParams.set(runParameter, runParameterValue);
  return url.href;
}

/**
 * Access URL that redirects to a page.
 *
 * @throws {TypeError} If `entry` isn't a valid URL.
 */
export function createAccessUrl(entry: string, page: string): string {
  const url = new URL(entry);
  const { pathname, searchParams } = new URL(page);
  url.searchParams.set(runParameter, searchParams.get(runParameter) ?? '');
  url.searchParams.set('path', pathname);
  return url.href;
}
