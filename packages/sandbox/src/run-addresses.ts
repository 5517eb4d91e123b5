/** The addresses on the origin of a project that a run opens. */
import { runParameter } from './protocol.ts';

/** A run's id: 32 digits and letters from a to f. */
export function randomRun(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Of the empty page that hands the first files to the service worker. */
export function bootAddress(origin: string, run: string): string {
  return `${origin}/__vitrine/boot?${runParameter}=${run}`;
}

/** Of a page of the project: "about/index.html" → "ORIGIN/about/?__vitrine=RUN" */
export function pageAddress(origin: string, path: string, named: string): string {
  const address = new URL(origin);
  address.pathname = path.replace(/(^|\/)index\.html$/, '$1');
  address.searchParams.set(runParameter, named);
  return address.href;
}

/** The address that lets in, leading to a page. Throws `TypeError` for an entry that is no address. */
export function enterAt(entry: string, page: string): string {
  const address = new URL(entry);
  const { pathname, searchParams } = new URL(page);
  address.searchParams.set(runParameter, searchParams.get(runParameter) ?? '');
  address.searchParams.set('path', pathname);
  return address.href;
}
