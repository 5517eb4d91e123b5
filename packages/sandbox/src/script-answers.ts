/**
 * When an address of a file answers with the script that runs for it, and when with the file as it
 * was written. The server and the service worker decide alike: what is to run gets what runs;
 * whoever reads the file (`fetch`, a link to it, a download) gets what the person wrote. The browser
 * says which it is by the request's destination, which no script of a page can set.
 */
import { assetModule, isScriptPath, moduleQuery } from '@vitrine/compiler';
import { withoutStamp } from './hot-messages.ts';

export const scriptType = 'text/javascript; charset=utf-8';

const running = new Set([
  'script',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
]);

export interface ScriptRequest {
  /** The address's query, with its question mark. */
  query: string;
  /** `Request.destination` or `Sec-Fetch-Dest`; null where the browser does not say. */
  destination: string | null;
}

/** Whether the answer is to run. A browser that does not say is taken to want a script of a script. */
export function wantsScript(path: string, { destination }: ScriptRequest): boolean {
  return isScriptPath(path) && (destination === null || running.has(destination));
}

/** The script to answer with; undefined where the answer is the file itself. */
export function findScript(
  path: string,
  file: { text: string; code: string | null },
  request: ScriptRequest,
): string | undefined {
  if (withoutStamp(request.query) === moduleQuery) return assetModule(path, file.text);
  return wantsScript(path, request) ? (file.code ?? file.text) : undefined;
}
