/**
 * Chooses the output with which a file's URL is answered; the server and the service worker choose alike. A
 * request that runs the file gets the compiled output: JavaScript for a module, CSS for a link, HTML for a
 * navigation. A request that reads it (`fetch`, a download) gets the source text. The request's destination,
 * which no script of a page can set, says which of the two it is.
 *
 * A request that a service worker makes itself has no destination: `fetch(event.request)` of a module looks
 * to the server like a script that reads the file. The service worker therefore adds the destination to the
 * URL as a query parameter.
 */
import {
  createAssetModule,
  findAssetQuery,
  getImportQuery,
  isMarkdownPath,
  isPagePath,
  isScriptPath,
  isStylePath,
  outputTypes,
  type AssetQuery,
} from '@vitrine/compiler';
import { getMediaType } from '@vitrine/project';
import { removeVersionQuery } from './hot-messages.ts';

export type OutputKind =
  /** Source text. */
  | 'text'
  /** Compiled output that a page runs, links or shows. */
  | 'script'
  | 'style'
  | 'page'
  /** Module for an import with this query of a file that isn't a script. */
  | AssetQuery;

/** A file with its compiled output; null where the text itself is used. */
interface FileOutput {
  text: string;
  code: string | null;
  module: string | null;
}

/** Query parameter for the destination of a request that would otherwise lose it. */
const destinationParameter = '__vitrine-for';

/** Adds a destination to a query: "?module", "script" → "?module&__vitrine-for=script"; `''` → "…=empty" */
export function withDestination(query: string, destination: string): string {
  const name = destination === '' ? 'empty' : destination;
  return `${query}${query === '' ? '?' : '&'}${destinationParameter}=${name}`;
}

/** Splits a query: "?module&__vitrine-for=script" → "?module" and "script"; null without the parameter. */
export function splitDestination(query: string): { query: string; destination: string | null } {
  const found = destinationPattern.exec(query);
  if (!found) return { query, destination: null };
  return { query: query.slice(0, found.index), destination: found[1] ?? null };
}

const destinationPattern = new RegExp(`[?&]${destinationParameter}=([a-z]{1,20})$`);

export interface OutputRequest {
  /** Query of the URL, with its question mark. */
  query: string;
  /** `Request.destination` or `Sec-Fetch-Dest`; null if the browser doesn't send it. */
  destination: string | null;
}

const scriptDestinations = new Set([
  'script',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
]);

const documentDestinations = new Set(['document', 'iframe', 'frame', 'embed', 'object']);

/** Chooses the output for a request. A request without a destination gets what runs. */
export function chooseOutput(path: string, { query, destination }: OutputRequest): OutputKind {
  const isRun = destination === null || scriptDestinations.has(destination);
  const assetQuery = findAssetQuery(removeVersionQuery(query));
  if (assetQuery === '?module' && getImportQuery(path) === assetQuery) return assetQuery;
  if (assetQuery !== undefined && assetQuery !== '?module' && isRun) return assetQuery;
  if (isScriptPath(path)) return isRun ? 'script' : 'text';
  if (isStylePath(path)) return destination === null || destination === 'style' ? 'style' : 'text';
  if (isMarkdownPath(path))
    return destination !== null && documentDestinations.has(destination) ? 'page' : 'text';
  return isPagePath(path) ? 'page' : 'text';
}

/** Whether a file's response depends on the request's destination. */
export function dependsOnDestination(path: string): boolean {
  return isScriptPath(path) || isStylePath(path) || isMarkdownPath(path);
}

/** Whether an asset is served as its bytes for this output, rather than as a page or module made from it. */
export function isServedAsIs(kind: OutputKind): boolean {
  return kind === 'text' || kind === 'script' || kind === 'style';
}

export function outputMediaType(path: string, form: OutputKind): string {
  switch (form) {
    case 'text':
      return getMediaType(path);
    case 'style':
    case 'page':
      return outputTypes[form];
    default:
      return outputTypes.script;
  }
}

export function outputText(path: string, file: FileOutput, form: OutputKind): string {
  switch (form) {
    case 'text':
      return file.text;
    case 'script':
    case 'style':
    case 'page':
      return file.code ?? file.text;
    default:
      return createAssetModule({ path, ...file }, form);
  }
}
