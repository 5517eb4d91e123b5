/**
 * In which form an address of a file answers. The server and the service worker decide alike: what
 * is to run gets what runs (a module its JavaScript, a link its CSS, a visit its page); whoever reads
 * the file (`fetch`, a link to it, a download) gets what the person wrote. The browser says which it
 * is by the request's destination, which no script of a page can set.
 *
 * A request that a service worker makes itself has no destination of its own: `fetch(event.request)`
 * asks the server for a module as a script that reads does. So one that is passed on names the
 * destination in its address, which reaches the server on every path.
 */
import {
  assetModule,
  findAssetQuery,
  importQuery,
  isMarkdownPath,
  isPagePath,
  isScriptPath,
  isStylePath,
  runningTypes,
  type AssetQuery,
} from '@vitrine/compiler';
import { mediaType } from '@vitrine/project';
import { withoutStamp } from './hot-messages.ts';

export type FileForm =
  /** The file as it was written. */
  | 'text'
  /** What a page runs, is styled by or shows. */
  | 'script'
  | 'style'
  | 'page'
  /** What a script gets that asks this of a file which is none. */
  | AssetQuery;

/** A file, and (or null) what stands in its place. */
export interface FileTexts {
  text: string;
  code: string | null;
  module: string | null;
}

/** Names the destination in the address of a request that would otherwise lose it. */
const destinationParameter = '__vitrine-for';

/** "?module", "script" → "?module&__vitrine-for=script"; of what scripts read, with `''`, "…=empty" */
export function withDestination(query: string, destination: string): string {
  const name = destination === '' ? 'empty' : destination;
  return `${query}${query === '' ? '?' : '&'}${destinationParameter}=${name}`;
}

/** "?module&__vitrine-for=script" → "?module" and "script"; null where the address does not say. */
export function takeDestination(query: string): { query: string; destination: string | null } {
  const found = namedDestination.exec(query);
  if (!found) return { query, destination: null };
  return { query: query.slice(0, found.index), destination: found[1] ?? null };
}

const namedDestination = new RegExp(`[?&]${destinationParameter}=([a-z]{1,20})$`);

export interface FormRequest {
  /** The address's query, with its question mark. */
  query: string;
  /** `Request.destination` or `Sec-Fetch-Dest`; null where the browser does not say. */
  destination: string | null;
}

const scripts = new Set([
  'script',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
]);

const documents = new Set(['document', 'iframe', 'frame', 'embed', 'object']);

/** A browser that does not say is taken to want what runs, which no other form can stand in for. */
export function findForm(path: string, { query, destination }: FormRequest): FileForm {
  const isRun = destination === null || scripts.has(destination);
  const asked = findAssetQuery(withoutStamp(query));
  if (asked === '?module' && importQuery(path) === asked) return asked;
  if (asked !== undefined && asked !== '?module' && isRun) return asked;
  if (isScriptPath(path)) return isRun ? 'script' : 'text';
  if (isStylePath(path)) return destination === null || destination === 'style' ? 'style' : 'text';
  if (isMarkdownPath(path))
    return destination !== null && documents.has(destination) ? 'page' : 'text';
  return isPagePath(path) ? 'page' : 'text';
}

/** Whether a file has different answers for different destinations. */
export function hasForms(path: string): boolean {
  return isScriptPath(path) || isStylePath(path) || isMarkdownPath(path);
}

export function formType(path: string, form: FileForm): string {
  switch (form) {
    case 'text':
      return mediaType(path);
    case 'style':
    case 'page':
      return runningTypes[form];
    default:
      return runningTypes.script;
  }
}

export function formText(path: string, file: FileTexts, form: FileForm): string {
  switch (form) {
    case 'text':
      return file.text;
    case 'script':
    case 'style':
    case 'page':
      return file.code ?? file.text;
    default:
      return assetModule({ path, text: file.text, module: file.module }, form);
  }
}
