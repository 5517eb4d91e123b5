/**
 * Where the page is inside its project, and going elsewhere in it. The frame says an address; hosts
 * show it as text and send it back as it was said, nothing more (P-24).
 */
import { isRecord } from './console-values.ts';

/** host → frame, over the port. */
export type Journey =
  /** Leave for an address of the project: "/about.html?x=1#top". `run` is as in `show`. */
  | { type: 'go'; run: string; address: string }
  /** One step along this frame's own history, and never along that of the app's page. */
  | { type: 'travel'; by: -1 | 1 };

/** frame → host, over the port: at the start of each document and whenever its address changes. */
export interface AddressSaid {
  type: 'address';
  /** From the project's root, with query and fragment: "/about.html?x=1#top". */
  address: string;
  canGoBack: boolean;
  canGoForward: boolean;
}

export const addressLimit = 2_000;

export function parseAddressSaid(input: unknown): AddressSaid | undefined {
  if (!isRecord(input) || input['type'] !== 'address') return undefined;
  const { address, canGoBack, canGoForward } = input;
  if (typeof address !== 'string' || address.length > addressLimit || !address.startsWith('/'))
    return undefined;
  if (typeof canGoBack !== 'boolean' || typeof canGoForward !== 'boolean') return undefined;
  return { type: 'address', address, canGoBack, canGoForward };
}

/**
 * What somebody typed as an address of the project, from its root; undefined where it leads elsewhere.
 * "about.html" → "/about.html", "?x=1" → "/?x=1", "https://example.com/" → undefined
 */
export function parseTypedAddress(text: string): string | undefined {
  const root = 'http://project.invalid';
  const address = URL.parse(text.trim().replace(/^\/*/, '/'), root);
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(text) || !address || address.origin !== root) return undefined;
  const typed = address.pathname + address.search + address.hash;
  return typed.length > addressLimit || typed.startsWith('/__vitrine/') ? undefined : typed;
}
