/**
 * What is said for the DevTools tab. Its front end, in a frame of its own, and the page that it looks
 * into talk over a port that the host makes for each document, so that neither what a page floods nor
 * what it forges comes by the app's page.
 *
 *     front end  ←── link ──  host  ── link ──→  page (frame/devtools.ts)
 *     front end  ←─ texts of the Chrome DevTools Protocol ─→  page
 */
import { isRecord } from './console-values.ts';

/** host → both: the port that comes along leads to the other. A new one comes with each document. */
interface DevtoolsLink {
  type: 'link';
}

export type Theme = 'light' | 'dark';

/** host → front end. */
export type ToDevtools = DevtoolsLink | { type: 'theme'; theme: Theme };

/** host → page, as to a tool: `unlink` when nobody looks any more. */
export type ToDevtoolsTool = DevtoolsLink | { type: 'unlink' };

/** Longer ones are dropped: an image of some megabytes fits. */
export const longestText = 16 * 1024 * 1024;

/** A request or answer (`id`), or an event, of the protocol; only these fields are looked at. */
export interface ProtocolMessage {
  id?: number;
  method?: string;
  result?: unknown;
}

/** `{"id":3,"result":{}}` → its fields; undefined for anything that is no message or too long. */
export function parseProtocolText(input: unknown): ProtocolMessage | undefined {
  if (typeof input !== 'string' || input.length > longestText) return undefined;
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
    // Whoever is in the page can say anything: it is dropped as what it is.
    return undefined;
  }
}
