/**
 * Messages about the page's URL within its project. Hosts show the URL that a frame reports as text and send
 * it back unchanged; nothing else depends on it (P-24).
 */
import { isRecord } from '@vitrine/project';

/** host → frame, over the port. */
export type NavigationRequest =
  /** Navigate to a URL of the project, "/about.html?x=1#top". `run` is as in `show`. */
  | { type: 'go'; run: string; address: string }
  /** Traverse this frame's own history by one entry, never the history of the app's page. */
  | { type: 'travel'; by: -1 | 1 };

/** frame → host, over the port: at the start of each document and whenever its URL changes. */
export interface AddressMessage {
  type: 'address';
  /** Path from the project's root, with query and fragment: "/about.html?x=1#top". */
  address: string;
  canGoBack: boolean;
  canGoForward: boolean;
}

export const maxAddressLength = 2_000;

export function parseAddressMessage(input: unknown): AddressMessage | undefined {
  if (!isRecord(input) || input['type'] !== 'address') return undefined;
  const { address, canGoBack, canGoForward } = input;
  if (typeof address !== 'string' || address.length > maxAddressLength || !address.startsWith('/'))
    return undefined;
  if (typeof canGoBack !== 'boolean' || typeof canGoForward !== 'boolean') return undefined;
  return { type: 'address', address, canGoBack, canGoForward };
}

/**
 * Parses a URL that the user typed, relative to the project's root; undefined if it leads elsewhere.
 * "about.html" → "/about.html", "?x=1" → "/?x=1", "https://example.com/" → undefined
 */
export function parseTypedAddress(text: string): string | undefined {
  const root = 'http://project.invalid';
  const address = URL.parse(text.trim().replace(/^\/*/, '/'), root);
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(text) || !address || address.origin !== root) return undefined;
  const typed = address.pathname + address.search + address.hash;
  return typed.length > maxAddressLength || typed.startsWith('/__vitrine/') ? undefined : typed;
}
