import { useRouteLoaderData } from 'react-router';
import type { PageSettings } from '../request-context.ts';
import type { loader } from '../root.tsx';

/** What the server told this page about itself. */
export function usePageSettings(): PageSettings {
  const root = useRouteLoaderData<typeof loader>('root');
  if (!root) throw new Error('the page was rendered without its settings');
  return root.page;
}

/** The nonce of the page that is rendered; in a browser the document's own, for as long as it lives. */
export function usePageNonce(): string {
  return useRouteLoaderData<typeof loader>('root')?.nonce ?? '';
}
