import { useEffect, useLayoutEffect, useState } from 'react';
import { useRouteLoaderData } from 'react-router';
import { usePageNonce } from '../../session/page-settings.ts';
import { useViewer } from '../../session/viewer.ts';
import { useHydrated } from '../../ui/hydrated.ts';
import { createPrerenderScript } from './prerendered-preview.ts';
import { getPreviewKey } from '../sharing/identity.ts';
import type { loader } from '../project.tsx';

/**
 * Inline script for the head of a saved project's server-rendered page, in front of its
 * stylesheets. Starts the prerendered preview.
 */
export function PrerenderedPreviewScript() {
  const project = useRouteLoaderData<typeof loader>('workspace/project');
  // Nonce of the document. Editors read it from here; a later server response has another one.
  const [nonce] = useState(usePageNonce());
  const isHydrated = useHydrated();
  const userId = useViewer()?.id ?? null;
  // Stays rendered after navigation: the page's policy forbids creating an inline script again.
  const [prerendered] = useState(isHydrated || !project?.prerenderPlan ? undefined : project);
  useLayoutEffect(() => window.deferredScripts?.stopRecording(), []);
  useEffect(() => window.deferredScripts?.repeatClick(), []);
  if (!prerendered?.prerenderPlan) return null;
  const { identity, prerenderPlan } = prerendered;
  const script = import.meta.env.SSR
    ? createPrerenderScript(
        { key: getPreviewKey(identity), project: identity.id, userId },
        prerenderPlan,
      )
    : '';
  return (
    <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: script }} />
  );
}
