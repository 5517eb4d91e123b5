/**
 * srcdoc transport, in the frame: this document becomes the project's page. The project's files are blob URLs
 * created here, because no other origin can read those of an opaque origin.
 */
import { findServedFile } from '@vitrine/project';
import type { SrcdocProject } from '../../protocol.ts';
import { watchAddress } from '../address.ts';
import {
  findBlobUrl,
  createBlobUrls,
  resolveFileReferences,
  hasFileReference,
  recreateBlobUrls,
} from './blob-urls.ts';
import type { Connection } from '../connection.ts';
import type { FileLoads } from '../file-loads.ts';
import { whenPainted } from '../painted.ts';
import { patchDocument } from '../hmr/patch-document.ts';
import { createLoadError } from '../load-errors.ts';
import { answerFetches, redirectRequests, type FileRequest } from './file-requests.ts';
import { resolveProjectPath, readBaseHref } from './srcdoc-urls.ts';
import { instrumentImports, watchSrcdocLoads } from './srcdoc-loads.ts';
import { urlPathOf, restoreScroll } from '../navigation.ts';
import { provideMemoryStorage } from './memory-storage.ts';
import type { TransportPart, StartedDocument } from '../start.ts';

export function startSrcdoc(o: StartedDocument): TransportPart {
  const { aliases } = o;
  /** Newest blob URL of each module that an update created, by id. */
  const remade = new Map<string, string>();
  return {
    isCurrent: () => Promise.resolve(true),
    // A later import of a module gets the blob URL that its importer's text names.
    loadsNewest: false,
    urlOf: ({ accepted }) => findBlobUrl(accepted, aliases),
    createFiles: (files) => recreateBlobUrls(files, aliases, remade),
    resolveFileReferences: (css) => resolveFileReferences(css, aliases),
    onMessage(message) {
      if (message.type === 'write') void becomeProject(message.project, o);
      if (message.type === 'document')
        o.sendApplied(message.version, patch(message.before, message.text, o));
    },
  };
}

/** Patches the page; 'reload' if it refers to a file that was added later and has no blob URL. */
function patch(
  before: string,
  after: string,
  { aliases, styles }: StartedDocument,
): 'done' | 'reload' {
  const text = resolveFileReferences(after, aliases);
  if (hasFileReference(text)) return 'reload';
  return patchDocument(resolveFileReferences(before, aliases), text, styles.isOurs);
}

async function becomeProject(project: SrcdocProject, o: StartedDocument): Promise<void> {
  const { documentInfo, aliases, connection, loads } = o;
  createBlobUrls(instrumentImports(project), aliases);
  documentInfo.path = project.path;
  documentInfo.shift = { line: 0, column: 0, length: 0 };
  provideMemoryStorage();
  answerRequests(project, aliases, connection, loads);
  await o.tools.loaded();
  document.open();
  o.tools.startPending();
  o.watchProblems(true);
  whenPainted(o.onPainted);
  restoreListeners(project, connection);
  watchSrcdocLoads(project, aliases, loads);
  restoreHash(project);
  writePage(project, aliases);
  watchAddress(connection, documentInfo);
}

/** Writes the page. The import map stays in effect after it is read, so its element is removed from the page. */
function writePage({ html, mapEnd }: SrcdocProject, aliases: ReadonlyMap<string, string>): void {
  if (mapEnd > 0) {
    document.write(resolveFileReferences(html.slice(0, mapEnd), aliases));
    document.scripts[0]?.remove();
  }
  document.write(resolveFileReferences(html.slice(mapEnd), aliases));
  document.close();
}

/**
 * Navigates to the fragment or, if a scroll position is restored, only sets the URL. Waits for the page to load,
 * because browsers drop a navigation while the document is being written.
 */
function restoreHash({ hash, scroll: [x, y] }: SrcdocProject): void {
  if (hash === '') return;
  const restore = () => {
    if (x === 0 && y === 0) location.replace(hash);
    else history.replaceState(history.state, '', hash);
  };
  addEventListener('load', restore, { once: true });
}

/** Adds the listeners again that `document.open` has removed. */
function restoreListeners(project: SrcdocProject, connection: Connection): void {
  restoreScroll(project.scroll);
  document.addEventListener('click', (event) => followLink(event, project, connection));
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener('scroll', () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      const [x, y] = [scrollX, scrollY].map((at) => Math.max(0, Math.round(at)));
      connection.send({ type: 'scrolled', x: x ?? 0, y: y ?? 0 });
    }, 100);
  });
}

/** Answers requests with a relative URL from the project's files. */
function answerRequests(
  project: SrcdocProject,
  aliases: ReadonlyMap<string, string>,
  connection: Connection,
  loads: FileLoads,
): void {
  const requests = {
    findPath: (url: string) => resolveProjectPath(url, project.path, readBaseHref()),
    onRequest({ path, by, exists, size }: FileRequest) {
      loads.add({ path, by, status: exists ? 200 : 404, size });
      if (exists) return;
      const problem = { ...createLoadError(by, path, path), page: project.path, status: 404 };
      connection.send({ type: 'problem', problem });
    },
  };
  answerFetches(project.files, requests);
  const findBlob = (path: string) => {
    const paths = [...aliases.values()];
    const served = findServedFile(path, (each) => paths.includes(each));
    return [...aliases].findLast(([, file]) => file === served)?.[0];
  };
  redirectRequests(findBlob, requests);
}

function followLink(event: MouseEvent, project: SrcdocProject, connection: Connection): void {
  if (event.defaultPrevented || event.button !== 0 || !(event.target instanceof Element)) return;
  const link = event.target.closest('a[href]');
  const href = link?.getAttribute('href') ?? '';
  const base = readBaseHref();
  const path = link && resolveProjectPath(href, project.path, base);
  if (!path || link?.hasAttribute('download')) return;
  event.preventDefault();
  const [hash = ''] = /#.*$/s.exec(href) ?? [];
  // With a `<base>`, a fragment refers to the base URL's page.
  const isHere = href.startsWith('#') && urlPathOf(path) === urlPathOf(project.path);
  if (isHere) location.replace(`${location.href.split('#')[0] ?? ''}${hash}`);
  else connection.send({ type: 'visit', path, hash });
}
