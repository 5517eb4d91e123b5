/**
 * Every `import()` of the app and of the packages in it: `vite.config.ts` replaces the function that
 * Vite wraps around each by `importCode`. An import that fails is retried twice, so that a request
 * that was lost isn't noticed. What a page needs for longer outages waits with `loadWithRetries`.
 *
 * Chromium fetches a module again after a failure. Firefox remembers failures of a module and of
 * each of its imports until the page is closed (Firefox 153, as the HTML standard has it), and so
 * does its preload. Elsewhere than in Chromium, files are therefore fetched before the import, which
 * then gets them from the HTTP cache.
 */
import { isLoadFailure } from '@vitrine/project/retry-loading';

/** Delays before the retries of an import. */
const retryDelaysMs = [300, 1_000];

/** Dispatched to the window when the server has no such file any more. */
export const pageOutdatedEvent = 'vitrine:page-outdated';

const repeatsFailedImports = () => navigator.userAgent.includes('Chrome/');

/** Fetched or preloaded URLs. Never emptied: at most one per built file. */
const prepared = new Set<string>();

/**
 * Imports code.
 * @param files Paths of the chunk and of all chunks it imports: `assets/host-B952iWa3.js`.
 * @throws A `TypeError` if the server can't be reached, and an error with the code `page_outdated`
 *   if it has no such file any more.
 */
export async function importCode<Module>(
  load: () => Promise<Module>,
  files: readonly string[] = [],
): Promise<Module> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (repeatsFailedImports()) preloadFiles(files);
      else await fetchFiles(files);
      return await load();
    } catch (error) {
      if (!isLoadFailure(error)) throw error;
      const delayMs = retryDelaysMs[attempt];
      if (delayMs === undefined) throw await describeFailure(files, error);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Starts fetching all files of an import at once, instead of one after the other. */
function preloadFiles(files: readonly string[]): void {
  for (const file of files) {
    const { href } = new URL(file, location.origin);
    if (prepared.has(href)) continue;
    prepared.add(href);
    const links = document.head.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]');
    if ([...links].some((each) => each.href === href)) continue;
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.crossOrigin = '';
    link.href = href;
    document.head.append(link);
  }
}

/** Fetches the files of an import that haven't been fetched. */
async function fetchFiles(files: readonly string[]): Promise<void> {
  const urls = files.map((file) => new URL(file, location.origin).href);
  await Promise.all(
    urls.map(async (url) => {
      if (prepared.has(url)) return;
      const response = await fetch(url);
      if (!response.ok) throw new TypeError(`Failed to fetch ${url}: ${response.status}`);
      await response.arrayBuffer();
      prepared.add(url);
    }),
  );
}

/** The error of an import that keeps failing. */
async function describeFailure(files: readonly string[], cause: unknown): Promise<Error> {
  for (const file of files) {
    const request = { method: 'HEAD', signal: AbortSignal.timeout(3_000) };
    const response = await fetch(new URL(file, location.origin), request).catch(() => undefined);
    if (!response) break;
    if (response.status !== 404) continue;
    dispatchEvent(new Event(pageOutdatedEvent));
    return Object.assign(new Error(`${file} is gone`, { cause }), { code: 'page_outdated' });
  }
  return new TypeError('Failed to fetch the code of a part of the page', { cause });
}
