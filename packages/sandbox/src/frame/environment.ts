import type { ToolName } from '../tool-messages.ts';
import {
  pageParameter,
  parseRunParameter,
  runParameter,
  type InlinedFile,
  type RunParameter,
  type DocumentSource,
} from '../protocol.ts';

/** Origins whose pages may embed previews; inserted by the server. */
declare const APP_ORIGINS: readonly string[];
export const appOrigins = APP_ORIGINS;
/** URLs of our other scripts by name; inserted by the server. */
declare const SCRIPT_URLS: Readonly<
  Record<
    'react-refresher' | 'preact-refresher' | 'console-responses' | 'worker-console' | ToolName,
    string
  >
>;
export const scriptUrls = SCRIPT_URLS;

/**
 * Runs one of our own scripts that load on demand. Resolves when it has run; rejects if it fails to load. The
 * script element is removed from the page.
 */
export function runInternalScript(
  name: Exclude<keyof typeof scriptUrls, 'console-responses' | 'worker-console'>,
  base: string,
): Promise<void> {
  const script = document.createElement('script');
  script.src = new URL(scriptUrls[name], base).href;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`));
    document.head.append(script);
    script.remove();
  });
}

/** Facts about this document, from the attributes of our script element. */
export interface DocumentInfo {
  shown: DocumentSource;
  /** Path of the document's file. */
  path: string;
  /** Files that can't be requested from the service worker; see embedded-files.ts. Usually empty. */
  files: readonly InlinedFile[];
  /** Position and length of our script element in the first line; see instrument-html.ts in the compiler. */
  shift: { line: number; column: number; length: number };
}

export function readDocumentInfo(script: HTMLScriptElement): DocumentInfo {
  const data = script.dataset;
  const [line = 0, column = 0, length = 0] = (data['shift'] ?? '').split(':').map(Number);
  const files = readFiles(data['files']);
  return {
    shown: readShown(data),
    path: data['path'] ?? '',
    files,
    shift: { line, column, length },
  };
}

function readFiles(text: string | undefined): readonly InlinedFile[] {
  const input: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(input) ? input.filter(isFile) : [];
}

function isFile(input: unknown): input is InlinedFile {
  return (
    Array.isArray(input) && input.length === 3 && input.every((part) => typeof part === 'string')
  );
}

function readShown(data: DOMStringMap): DocumentSource {
  const { kind } = data;
  if (kind === 'boot' || kind === 'srcdoc' || kind === 'tests') return { kind };
  if (data['revision'] !== undefined) return { kind: 'saved', revision: Number(data['revision']) };
  if (data['run'] !== undefined)
    return { kind: 'run', run: data['run'], version: Number(data['version']) };
  return { kind: 'absent' };
}

/**
 * Removes our query parameters from the URL before user code runs, and returns what they said: the scroll
 * position before a reload, and the tools to load.
 */
export function takeRunParameter(): RunParameter | undefined {
  const query = new URLSearchParams(location.search);
  const found = parseRunParameter(query.get(runParameter));
  if (!found) return undefined;
  query.delete(runParameter);
  query.delete(pageParameter);
  const url = new URL(location.href);
  url.search = query.toString();
  history.replaceState(history.state, '', url.href);
  return found;
}
