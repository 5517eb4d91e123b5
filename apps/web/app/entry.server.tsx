import { isbot } from 'isbot';
import { renderToReadableStream } from 'react-dom/server';
import { ServerRouter, type EntryContext, type RouterContextProvider } from 'react-router';
import { requestContext } from './request-context.ts';

export { provideContext } from './request-context.ts';

/** Renders a page: as a stream for browsers, complete for bots. */
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
        // oxlint-disable-next-line no-console -- an edge: React reports render errors only here.
        if (!request.signal.aborted) console.error(error);
      },
    },
  );
  // A prerendered preview starts with the page, which it should not have to wait for in pieces.
  if (isbot(request.headers.get('user-agent')) || hasEarlyPreview(entry)) await stream.allReady;
  headers.set('Content-Type', 'text/html; charset=utf-8');
  return new Response(stream, { status: finalStatus, headers });
}

/** Whether the page has a prerendered preview. */
function hasEarlyPreview({ staticHandlerContext }: EntryContext): boolean {
  const data: unknown = staticHandlerContext.loaderData['workspace/project'];
  return (
    typeof data === 'object' &&
    data !== null &&
    'prerenderPlan' in data &&
    Boolean(data.prerenderPlan)
  );
}
