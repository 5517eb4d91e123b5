import { VitrineError } from '@vitrine/project';

interface PreviewAccessOptions {
  /** Path of the project's page, `/@owner/slug`. */
  readonly address: string;
  /** Origin and key of the preview. */
  readonly origin: string;
  readonly key: string;
  /** One-time access URL that came with the page. */
  readonly first: string | null;
}

/**
 * Creates a function that resolves to a one-time URL granting access to a private project's
 * preview. Rejects with `not_allowed` or `server_unreachable`, or with the error of `fetch`.
 */
export function createPreviewAccess({ address, origin, key, first }: PreviewAccessOptions) {
  let unusedUrl = first?.startsWith(`${origin}/`) ? first : null;
  return async (signal: AbortSignal): Promise<string> => {
    const url = unusedUrl;
    unusedUrl = null;
    if (url) return url;
    const body = new URLSearchParams({ origin, key });
    const response = await fetch(`${address}/entry`, { method: 'POST', body, signal });
    const result: unknown = response.ok ? await response.json() : undefined;
    if (isAccessResponse(result)) return result.entry;
    const code = response.status >= 502 ? 'server_unreachable' : 'not_allowed';
    throw new VitrineError(code, `entry responded with ${response.status}`);
  };
}

function isAccessResponse(body: unknown): body is { entry: string } {
  return (
    typeof body === 'object' && body !== null && 'entry' in body && typeof body.entry === 'string'
  );
}
