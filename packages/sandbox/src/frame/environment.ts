import type { ToolName } from '../tool-messages.ts';
import {
  pageParameter,
  parseRunParameter,
  runParameter,
  type InlinedFile,
  type RunParameter,
  type Shown,
} from '../protocol.ts';

/** Given by the server with this script: the origins whose pages may hold previews. */
declare const APP_ORIGINS: readonly string[];
export const appOrigins = APP_ORIGINS;
/** Likewise: where our other scripts are, by name. */
declare const SCRIPT_ADDRESSES: Readonly<
  Record<
    'react-refresher' | 'preact-refresher' | 'console-answers' | 'worker-console' | ToolName,
    string
  >
>;
export const scriptAddresses = SCRIPT_ADDRESSES;

/** What whoever made this document said of it, in the attributes of our script. */
export interface DocumentFacts {
  shown: Shown;
  /** The document's path in the project. */
  path: string;
  /** What it cannot ask the service worker for: see own-files.ts. Empty where it needs none. */
  files: readonly InlinedFile[];
  /** Where on its first line our script was put in: see compiler, instrument-html.ts. */
  shift: { line: number; column: number; length: number };
}

export function readDocumentFacts(script: HTMLScriptElement): DocumentFacts {
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
  const said: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(said) ? said.filter(isFile) : [];
}

function isFile(said: unknown): said is InlinedFile {
  return Array.isArray(said) && said.length === 3 && said.every((part) => typeof part === 'string');
}

function readShown(data: DOMStringMap): Shown {
  const { kind } = data;
  if (kind === 'boot' || kind === 'portable' || kind === 'tests') return { kind };
  if (data['revision'] !== undefined) return { kind: 'saved', revision: Number(data['revision']) };
  if (data['run'] !== undefined)
    return { kind: 'run', run: data['run'], version: Number(data['version']) };
  return { kind: 'absent' };
}

/**
 * Takes our parameter out of the address before user code can see it, and returns what else it said:
 * where the page was scrolled to before it was loaded again, and which tools it begins with.
 */
export function takeRunParameter(): RunParameter | undefined {
  const query = new URLSearchParams(location.search);
  const found = parseRunParameter(query.get(runParameter));
  if (!found) return undefined;
  query.delete(runParameter);
  query.delete(pageParameter);
  const address = new URL(location.href);
  address.search = query.toString();
  history.replaceState(history.state, '', address.href);
  return found;
}
