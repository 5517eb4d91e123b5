/** Printed by a process when it accepts requests. */
export const readyLine = 'vitrine: listening';

/**
 * Preloaded into Deno before a function. Serves on a private Unix socket, and gives the function
 * requests that look like plain HTTP.
 */
export const preloadScript = `
const serve = Deno.serve.bind(Deno);
Deno.serve = (...given) => {
  const options = given.find((one) => typeof one === 'object') ?? {};
  const handler = given.find((one) => typeof one === 'function') ?? options.handler;
  const onListen = () => console.log(${JSON.stringify(readyLine)});
  return serve({ ...options, handler: undefined, onListen }, (request, info) =>
    handler(new Request(request.url.replace(/^http\\+unix:/, 'http:'), request), info));
};
`;
