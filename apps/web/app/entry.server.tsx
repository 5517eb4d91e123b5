import { isbot } from 'isbot';
import { renderToReadableStream } from 'react-dom/server';
import { ServerRouter, type EntryContext, type RouterContextProvider } from 'react-router';
import { requestContext } from './request-context.ts';
import { markHeld } from './workspace/held-scripts.ts';

export { provideContext } from './request-context.ts';

/** Renders one page. Robots get it whole; people get it as it comes. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  entry: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const { nonce } = context.get(requestContext);
  let finalStatus = status;
  const stream = await renderToReadableStream(
    <ServerRouter context={entry} url={request.url} nonce={nonce} />,
    {
      nonce,
      signal: request.signal,
      onError(error) {
        finalStatus = 500;
        // oxlint-disable-next-line no-console -- an edge: React hands render errors to nobody else.
        if (!request.signal.aborted) console.error(error);
      },
    },
  );
  if (isbot(request.headers.get('user-agent'))) await stream.allReady;
  headers.set('Content-Type', 'text/html; charset=utf-8');
  const page = beginsResult(entry) ? markHeld(await new Response(stream).text()) : stream;
  return new Response(page, { status: finalStatus, headers });
}

/** Whether it has the script of `BeginResult`, which also lets the page's own run. */
function beginsResult({ staticHandlerContext }: EntryContext): boolean {
  const data: unknown = staticHandlerContext.loaderData['workspace/project'];
  return (
    typeof data === 'object' && data !== null && 'beginning' in data && Boolean(data.beginning)
  );
}
