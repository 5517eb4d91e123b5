/**
 * In which form an address of a file answers. The server and the service worker decide alike: what
 * is to run gets what runs (a module its JavaScript, a link its CSS, a visit its page); whoever reads
 * the file (`fetch`, a link to it, a download) gets what the person wrote. The browser says which it
 * is by the request's destination, which no script of a page can set.
 */
import {
  assetModule,
  hasAssetModule,
  isPagePath,
  isScriptPath,
  isStylePath,
  moduleQuery,
  runningTypes,
} from '@vitrine/compiler';
import { mediaType } from '@vitrine/project';

export type FileForm =
  /** The file as it was written. */
  | 'text'
  /** What a page runs, is styled by or shows. */
  | 'script'
  | 'style'
  | 'page'
  /** What a script gets that imports a file which is none. */
  | 'module';

/** A file, and (or null) what stands in its place. */
export interface FileTexts {
  text: string;
  code: string | null;
  module: string | null;
}

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

/** A browser that does not say is taken to want what runs, which no other form can stand in for. */
export function findForm(path: string, { query, destination }: FormRequest): FileForm {
  if (query === moduleQuery && hasAssetModule(path)) return 'module';
  if (isScriptPath(path))
    return destination === null || scripts.has(destination) ? 'script' : 'text';
  if (isStylePath(path)) return destination === null || destination === 'style' ? 'style' : 'text';
  return isPagePath(path) ? 'page' : 'text';
}

/** Whether a file has different answers for different destinations. */
export function hasForms(path: string): boolean {
  return isScriptPath(path) || isStylePath(path);
}

export function formType(path: string, form: FileForm): string {
  if (form === 'text') return mediaType(path);
  return runningTypes[form === 'module' ? 'script' : form];
}

export function formText(path: string, file: FileTexts, form: FileForm): string {
  switch (form) {
    case 'text':
      return file.text;
    case 'module':
      return file.module ?? assetModule(path, file.text) ?? '';
    default:
      return file.code ?? file.text;
  }
}
