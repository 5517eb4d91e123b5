/**
 * Messages for the DevTools tab. The front end, in a frame of its own, and the inspected page talk over a
 * port that the host creates for each document, so that neither floods nor forged messages of a page reach
 * the app's page.
 *
 *     front end  ←── link ──  host  ── link ──→  page (frame/devtools.ts)
 *     front end  ←─ Chrome DevTools Protocol, as JSON texts ─→  page
 */
import { isRecord } from '@vitrine/project';

/** host → both: the port that comes along leads to the other side. Sent again for each new document. */
interface DevtoolsLink {
  type: 'link';
}

export type DevtoolsTheme = 'light' | 'dark';

/** host → front end. */
export type ToDevtools = DevtoolsLink | { type: 'theme'; theme: DevtoolsTheme };

/** host → page, as a tool message; `unlink` when DevTools is closed. */
export type ToDevtoolsTool = DevtoolsLink | { type: 'unlink' };

/** Longest protocol message, in UTF-16 units; longer ones are dropped. Fits an image of several megabytes. */
export const maxTextLength = 16 * 1024 * 1024;

/** A request or response (with `id`), or an event; only these fields are read. */
export interface ProtocolMessage {
  id?: number;
  method?: string;
  result?: unknown;
}

/** Parses `{"id":3,"result":{}}`; undefined if the text isn't a protocol message, or is too long. */
export function parseProtocolText(input: unknown): ProtocolMessage | undefined {
  if (typeof input !== 'string' || input.length > maxTextLength) return undefined;
  const message = parseJson(input);
  if (!isRecord(message)) return undefined;
  const { id, method, result } = message;
  if (id !== undefined && typeof id !== 'number') return undefined;
  if (method !== undefined && typeof method !== 'string') return undefined;
  if (id === undefined && method === undefined) return undefined;
  return { ...(id !== undefined && { id }), ...(method !== undefined && { method }), result };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // User code can send anything; invalid JSON is dropped.
    return undefined;
  }
}
