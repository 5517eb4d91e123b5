/** The project's own backend, asked as somebody. */
export interface Backend {
  /** The answer, whatever its status. */
  ask(path: string, init?: { method?: string; body?: unknown; prefer?: string }): Promise<Response>;
  /** The answer's JSON. Throws where it is a refusal. */
  read(path: string, init?: { method?: string; body?: unknown; prefer?: string }): Promise<unknown>;
}

/** Somebody by their access token: they reach what their policies let them. */
export function asPerson(token: string): Backend {
  return openBackend(setting('SUPABASE_ANON_KEY'), token);
}

/** The operator: passes every policy. */
export function asService(): Backend {
  const key = setting('SUPABASE_SERVICE_ROLE_KEY');
  return openBackend(key, key);
}

function openBackend(key: string, bearer: string): Backend {
  const ask: Backend['ask'] = (path, { method = 'GET', body, prefer } = {}) =>
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

/** A setting of the environment. Throws where it is missing. */
export function setting(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
