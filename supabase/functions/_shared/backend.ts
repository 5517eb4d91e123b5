/** The project's backend, called with the rights of a user or of the service. */
export interface BackendApi {
  /** Returns the response, whatever its status. */
  ask(path: string, init?: { method?: string; body?: unknown; prefer?: string }): Promise<Response>;
  /** Returns the JSON of the response. Throws unless it was successful. */
  read(path: string, init?: { method?: string; body?: unknown; prefer?: string }): Promise<unknown>;
}

/** Calls the backend with a user's access token: policies apply. */
export function asPerson(token: string): BackendApi {
  return openBackend(setting('SUPABASE_ANON_KEY'), token);
}

/** Calls the backend with the secret key, which bypasses policies. */
export function asService(): BackendApi {
  const key = setting('SUPABASE_SERVICE_ROLE_KEY');
  return openBackend(key, key);
}

function openBackend(key: string, bearer: string): BackendApi {
  const ask: BackendApi['ask'] = (path, { method = 'GET', body, prefer } = {}) =>
    fetch(setting('SUPABASE_URL') + path, {
      method,
      headers: {
        apikey: key,
        authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(prefer === undefined ? {} : { prefer }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ask,
    async read(path, init) {
      const answer = await ask(path, init);
      if (answer.ok) return await answer.json();
      throw new Error(`${path.replace(/\?.*/, '')}: ${answer.status} ${await answer.text()}`);
    },
  };
}

/** Whether this is the secret key. Compares digests, so that the time taken reveals nothing about it. */
export async function isServiceKey(given: string): Promise<boolean> {
  const keys = [given, setting('SUPABASE_SERVICE_ROLE_KEY')];
  const [left, right] = await Promise.all(keys.map(digest));
  return left === right;
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return new Uint8Array(bytes).join();
}

/** Reads an environment variable. Throws when it is missing. */
export function setting(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} isn’t set`);
  return value;
}
