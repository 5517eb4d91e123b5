/**
 * Loaded by jest before each file of a suite. The suites send to the address of the Supabase CLI,
 * with keys that its gateway knows or with none: here it is sent to ours, with our keys, and the
 * test's name is noted as one that reached the server.
 */
const { appendFileSync } = require('node:fs');

const { SUITE_ORIGIN, SUITE_KEY, SUITE_SECRET_KEY, SUITE_REACHED } = process.env;
const address = /^http:\/\/(?:localhost|127\.0\.0\.1):54321(?=\/)/;
const send = globalThis.fetch;

if (send) {
  globalThis.fetch = async (input, init) => {
    const url = input.url ?? String(input.href ?? input);
    if (!address.test(url)) return await send(input, init);
    appendFileSync(SUITE_REACHED, `${expect.getState().currentTestName}\n`);
    const headers = new Headers(init?.headers);
    const isSecret = readRole(headers.get('apikey')) === 'service_role';
    headers.set('apikey', isSecret ? SUITE_SECRET_KEY : SUITE_KEY);
    // Signed by the CLI for nobody: the key says the same.
    const bearer = readRole(headers.get('authorization')?.replace(/^Bearer /i, ''));
    if (['anon', 'service_role', 'supabase_admin'].includes(bearer))
      headers.delete('authorization');
    return await send(url.replace(address, SUITE_ORIGIN), { ...init, headers });
  };
}

/** The role in a token's claims. */
function readRole(token) {
  const claims = token?.split('.')[1];
  if (!claims) return undefined;
  try {
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).role;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
