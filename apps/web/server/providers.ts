import type { BackendAccess } from './session.ts';

/** Ways to sign in that the backend counts among its external ones and are no provider’s. */
const own = new Set(['email', 'phone', 'anonymous_users']);

/**
 * The providers that people may sign in by, as the backend's settings name them; null where it does
 * not answer.
 */
export async function findProviders(
  { url, publishableKey, fetchFrom }: BackendAccess,
  address: string,
): Promise<string[] | null> {
  const ask = fetchFrom?.(address) ?? fetch;
  try {
    const headers = { apikey: publishableKey };
    const response = await ask(`${url}/auth/v1/settings`, { headers });
    return response.ok ? listProviders(await response.json()) : null;
  } catch (error) {
    // No connection, or an answer that is no JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function listProviders(settings: unknown): string[] {
  if (typeof settings !== 'object' || settings === null || !('external' in settings)) return [];
  return Object.entries(settings.external ?? {})
    .filter(([name, isOn]) => isOn === true && !own.has(name))
    .map(([name]) => name);
}
