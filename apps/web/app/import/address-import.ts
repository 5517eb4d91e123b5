import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { importRequest, type ImportRequest } from './import-request.ts';

/** Key in `sessionStorage` of what `/prefill` has received, until the import dialog closes. */
const postedKey = 'vitrine-posted';

/**
 * Opens the import dialog for a project in the page's address: `/new#code=…`, or `/new#posted` after
 * another site has posted one. Nothing is opened before the user has seen the dialog. The address
 * has the project until the dialog closes, so that a reload shows it again.
 */
export function useAddressImport(): void {
  const { hash } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const request = findRequest(hash);
    if (!request) return;
    importRequest.set(request);
    return importRequest.subscribe(() => {
      if (importRequest.get() !== null) return;
      if (hash === '#posted') sessionStorage.removeItem(postedKey);
      void navigate('/new', { replace: true });
    });
  }, [hash, navigate]);
}

function findRequest(hash: string): ImportRequest | undefined {
  if (hash.startsWith('#code='))
    return {
      read: async () => {
        const { readCodeHash } = await import('./formats/code-link.ts');
        const { importFiles } = await import('./project-import.ts');
        return importFiles(await readCodeHash(hash), { source: 'from a link', from: 'a link' });
      },
    };
  if (hash !== '#posted') return undefined;
  return {
    read: async () => {
      const { readPosted } = await import('./formats/posted.ts');
      const { importFiles } = await import('./project-import.ts');
      const { from, imported } = readPosted(sessionStorage.getItem(postedKey));
      const sender = from === undefined ? 'an unknown site' : new URL(from).host;
      return importFiles(imported, { source: 'from another site', from: sender });
    },
  };
}
