import type { SignInWays } from '../app/request-context.ts';
import type { BackendAccess } from './session.ts';

/** Ways to sign in that the backend counts among its external ones and are no provider’s. */
const own = new Set(['email', 'phone', 'anonymous_users']);

/** How people may come in, as the backend's settings say; null where it does not answer. */
export async function findSignInWays(
  { url, publishableKey, fetchFrom }: BackendAccess,
  address: string,
): Promise<SignInWays | null> {
  const ask = fetchFrom?.(address) ?? fetch;
  try {
    const headers = { apikey: publishableKey };
    const response = await ask(`${url}/auth/v1/settings`, { headers });
    return response.ok ? parseWays(await response.json()) : null;
  } catch (error) {
    // No connection, or an answer that is no JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseWays(answer: unknown): SignInWays | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const settings: Record<string, unknown> = { ...answer };
  return {
    providers: Object.entries(settings['external'] ?? {})
      .filter(([name, isOn]) => isOn === true && !own.has(name))
      .map(([name]) => name),
    isOpen: settings['disable_signup'] !== true,
    confirmsEmail: settings['mailer_autoconfirm'] !== true,
  };
}
