import { useCallback, useEffect } from 'react';
import { useLocation, type MetaFunction } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { createLinkRequest, decodeAddress, importRequest } from './import-request.ts';
import styles from './link-page.module.css';

export const meta: MetaFunction = () => [
  { title: 'Import — Vitrine' },
  { name: 'robots', content: 'noindex' },
];

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

/**
 * `/github.com/OWNER/REPO/tree/REF/DIR`: the address of a page of a code host behind the app's own.
 * Shows what is there in the import dialog. Only scripts of this page request it, so that a prefetch
 * or a picture with this address imports nothing.
 */
export default function LinkPage() {
  const { pathname, search } = useLocation();
  const address = pathname.slice(1) + search;
  const getClient = useClient();
  const open = useCallback(
    () => importRequest.set(createLinkRequest(new URL(`https://${address}`), getClient)),
    [address, getClient],
  );
  useEffect(open, [open]);
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>Import from {address.split('/', 1)}</h1>
      <p className={styles.source}>
        <a href={`https://${address}`} rel="noreferrer">
          {decodeAddress(address)}
        </a>
      </p>
      <Button variant="primary" onClick={open}>
        Show files
      </Button>
    </div>
  );
}
