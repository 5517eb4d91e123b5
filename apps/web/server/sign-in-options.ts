import type { SignInOptions } from '../app/request-context.ts';
import type { BackendAccess } from './session.ts';

/** Entries of the auth server's `external` settings that aren't OAuth providers. */
const nonProviders = new Set(['email', 'phone', 'anonymous_users']);

/** Fetches the sign-in methods from the auth server's settings; null if it is unreachable. */
export async function fetchSignInOptions(
  { url, publishableKey, fetchFrom }: BackendAccess,
  address: string,
): Promise<SignInOptions | null> {
  const fetchSettings = fetchFrom?.(address) ?? fetch;
  try {
    const headers = { apikey: publishableKey };
    const response = await fetchSettings(`${url}/auth/v1/settings`, { headers });
    return response.ok ? parseSettings(await response.json()) : null;
  } catch (error) {
    // No connection, or a response that isn't JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseSettings(body: unknown): SignInOptions | null {
  if (typeof body !== 'object' || body === null) return null;
  const settings: Record<string, unknown> = { ...body };
  return {
    providers: Object.entries(settings['external'] ?? {})
      .filter(([name, isOn]) => isOn === true && !nonProviders.has(name))
      .map(([name]) => name),
    isOpen: settings['disable_signup'] !== true,
    confirmsEmail: settings['mailer_autoconfirm'] !== true,
  };
}
