import { useRouteLoaderData } from 'react-router';
import type { PageSettings } from '../request-context.ts';

/** What the root loader returns about the page itself. */
export interface PageData {
  readonly nonce: string;
  readonly page: PageSettings;
}

/** The settings that the server rendered the page with. */
export function usePageSettings(): PageSettings {
  const root = useRouteLoaderData<PageData>('root');
  if (!root) throw new Error('the root loader has no data');
  return root.page;
}

/** The CSP nonce of the latest response; the document itself has that of the first. */
export function usePageNonce(): string {
  return useRouteLoaderData<PageData>('root')?.nonce ?? '';
}
