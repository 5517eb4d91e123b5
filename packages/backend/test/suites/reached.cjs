/**
 * Loaded by jest before each file of a suite. The suites send to the address of the Supabase CLI,
 * with keys that its gateway knows or with none: here it is sent to ours, with our keys, and the
 * test's name is noted as one that reached the server.
 */
const { appendFileSync } = require('node:fs');

const { SUITE_ORIGIN, SUITE_KEY, SUITE_SECRET_KEY, SUITE_REACHED, SUITE_PASSWORDS } = process.env;
const address = /^http:\/\/(?:localhost|127\.0\.0\.1):54321(?=\/)/;
const send = globalThis.fetch;

if (send) {
  globalThis.fetch = async (input, init) => {
    const url = input.url ?? String(input.href ?? input);
    if (!address.test(url)) return await send(input, init);
    appendFileSync(SUITE_REACHED, `${expect.getState().currentTestName}\n`);
    const headers = new Headers(init?.headers);
    const bearer = readRole(headers.get('authorization')?.replace(/^Bearer /i, ''));
    const role = headers.has('apikey') ? readRole(headers.get('apikey')) : bearer;
    // Storage's suite asks what is said to a request without credentials.
    const isBare = !headers.has('apikey') && bearer === undefined;
    if (!isBare || !url.includes('/storage/v1/')) {
      headers.set('apikey', role === 'service_role' ? SUITE_SECRET_KEY : SUITE_KEY);
    }
    // Signed by the CLI for nobody: the key says the same.
    if (['anon', 'service_role', 'supabase_admin'].includes(bearer))
      headers.delete('authorization');
    const body = SUITE_PASSWORDS ? withGoodPassword(init?.body) : init?.body;
    return await send(url.replace(address, SUITE_ORIGIN), { ...init, headers, body });
  };
}

/** Among the passwords that are guessed first, and refused here for that. */
function withGoodPassword(body) {
  if (typeof body !== 'string') return body;
  return body.replaceAll('"password123"', '"a password of the suite"');
}

const { WebSocket } = globalThis;

if (WebSocket) {
  globalThis.WebSocket = class extends WebSocket {
    constructor(url, ...rest) {
      super(toOurs(new URL(url)), ...rest);
    }
  };
}

function toOurs(url) {
  if (url.host !== '127.0.0.1:54321') return url;
  appendFileSync(SUITE_REACHED, `${expect.getState().currentTestName}\n`);
  url.host = new URL(SUITE_ORIGIN).host;
  url.searchParams.set('apikey', SUITE_KEY);
  return url;
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
