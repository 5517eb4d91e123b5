import { useRouteLoaderData } from 'react-router';
import type { PageSettings } from '../request-context.ts';
import type { loader } from '../root.tsx';

/** What the server told this page about itself. */
export function usePageSettings(): PageSettings {
  const root = useRouteLoaderData<typeof loader>('root');
  if (!root) throw new Error('the page was rendered without its settings');
  return root.page;
}

/** The nonce of the server's latest answer; the document's own is that of the first. */
export function usePageNonce(): string {
  return useRouteLoaderData<typeof loader>('root')?.nonce ?? '';
}
