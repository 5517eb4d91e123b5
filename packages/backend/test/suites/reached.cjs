/**
 * Loaded by jest before each file of a suite. The suites send to the address of the Supabase CLI,
 * whose gateway asks for no key: here it is sent to ours, with our key, and the test's name is
 * noted as one that reached the server.
 */
const { appendFileSync } = require('node:fs');

const { SUITE_ORIGIN, SUITE_KEY, SUITE_REACHED } = process.env;
const address = /^http:\/\/(?:localhost|127\.0\.0\.1):54321(?=\/)/;
const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : `${input}`;
  if (!address.test(url)) return await send(input, init);
  appendFileSync(SUITE_REACHED, `${expect.getState().currentTestName}\n`);
  const headers = new Headers(init?.headers);
  headers.set('apikey', SUITE_KEY);
  return await send(url.replace(address, SUITE_ORIGIN), { ...init, headers });
};
