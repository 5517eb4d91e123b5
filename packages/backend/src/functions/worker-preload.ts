/** The line by which a process says that it takes requests. */
export const readyLine = 'vitrine: listening';

/**
 * Run in Deno before the function: it is reached by a socket that nobody else may open, and sees of
 * that only what a request over HTTP would show it.
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
