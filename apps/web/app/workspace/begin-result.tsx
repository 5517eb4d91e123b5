import { useEffect, useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import { usePageNonce } from '../session/page-settings.ts';
import { useHydrated } from '../ui/hydrated.ts';
import { beginningScript } from './beginning.ts';
import { previewKey } from './identity.ts';
import type { loader } from './project.tsx';

/** For the head of the server's page, in front of its stylesheets: begins the result of a saved project. */
export function BeginResult() {
  const project = useRouteLoaderData<typeof loader>('workspace/project');
  // The document's own, which editors read from here: a later answer brings another.
  const [nonce] = useState(usePageNonce());
  const isHydrated = useHydrated();
  // It stays when another page is shown: the page's policy refuses to make a script from text again.
  const [begun] = useState(isHydrated || !project?.beginning ? undefined : project);
  useEffect(() => window.held?.repeat(), []);
  if (!begun?.beginning) return null;
  const { identity, beginning } = begun;
  const script = import.meta.env.SSR ? beginningScript(previewKey(identity), beginning) : '';
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: script }} />
  );
}
