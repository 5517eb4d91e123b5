import type { SupabaseClient } from '@supabase/supabase-js';
import type { ImportRequest } from './import-request.ts';

/**
 * A request to import from a link.
 *
 * @param text The link as the user pasted it.
 */
export function createLinkRequest(
  url: URL,
  getClient: () => Promise<SupabaseClient>,
  text = url.href,
): ImportRequest {
  const read = async (signal: AbortSignal) => {
    const { readLink } = await import('./link.ts');
    return readLink(url, getClient, signal);
  };
  return { text, read };
}

/** "example.org/%C3%B6" → "example.org/ö" */
export function decodeAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch (error) {
    if (error instanceof URIError) return address;
    throw error;
  }
}
