import { CSPProvider } from '@base-ui/react/csp-provider';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { useState, type ReactNode } from 'react';
import { Links, Meta, Outlet, ScrollRestoration } from 'react-router';
import type { Route } from './+types/root';
import { RequireUsername } from './account/auth/choose-username.tsx';
import { suggestUsername } from './account/auth/suggest-username.server.ts';
import { requestContext } from './request-context.ts';
import { ClaimDraftsPrompt } from './session/claim-drafts-prompt.tsx';
import { findViewer } from './session/find-viewer.server.ts';
import { SessionEvents } from './session/session-events.tsx';
import { useRootData, type RootData } from './session/root-data.ts';
import { SendPendingUpdates } from './session/send-pending-updates.tsx';
import './ui/theme/tokens.css';
import './ui/theme/base.css';
import './ui/theme/forced-colors.css';
import { ErrorPage } from './ui/page/error-view.tsx';
import { ScriptRecovery } from './ui/page/script-recovery.tsx';
import { useHydrated } from './ui/hydrated.ts';
import moreContrast from './ui/theme/more-contrast.css?url';
import { getContrastLink, parseContrastCookie, parseThemeCookie } from './ui/theme/theme.ts';
import { ToastProvider } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import { PageScripts } from './workspace/bootstrap/deferred-scripts.tsx';
import { PrerenderedPreviewScript } from './workspace/bootstrap/prerendered-preview-script.tsx';

export async function loader({ context, request }: Route.LoaderArgs): Promise<RootData> {
  const requestInfo = context.get(requestContext);
  const { nonce, page, origin } = requestInfo;
  const cookies = request.headers.get('cookie');
  const theme = parseThemeCookie(cookies);
  const contrast = parseContrastCookie(cookies);
  const viewer = await findViewer(requestInfo);
  const suggestedUsername =
    viewer?.username === null ? await suggestUsername(requestInfo, viewer.email) : null;
  const pendingMfaUserId = requestInfo.pendingMfaClaims?.sub ?? null;
  return { nonce, page, origin, theme, contrast, viewer, pendingMfaUserId, suggestedUsername };
}

export const meta: Route.MetaFunction = () => [{ title: 'Vitrine' }];

export function Layout({ children }: { children: ReactNode }) {
  const data = useRootData();
  const theme = data && data.theme !== 'system' ? data.theme : undefined;
  // A root error, for example offline, renders the document again in the browser. The scripts
  // already run there, and the page's CSP blocks creating script elements from text.
  const [isRerendered] = useState(useHydrated());
  return (
    // The theme is changed on the element itself, so the browser's may be newer.
    <html lang="en" data-theme={theme} suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {data && <ScriptRecovery />}
        <PrerenderedPreviewScript />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Meta />
        <Links />
        <link
          rel="stylesheet"
          href={moreContrast}
          {...getContrastLink(data?.contrast ?? 'system')}
          // The contrast is changed on the element itself, so the browser's may be newer.
          suppressHydrationWarning
        />
      </head>
      <body>
        {children}
        {!isRerendered && (
          <>
            <ScrollRestoration />
            <PageScripts />
          </>
        )}
      </body>
    </html>
  );
}

export default function Root({ loaderData }: Route.ComponentProps) {
  // The document's nonce; loader data of later responses has other ones.
  const [nonce] = useState(loaderData.nonce);
  return (
    <CSPProvider nonce={nonce}>
      <TooltipProvider>
        <ToastProvider>
          <SessionEvents>
            <RequireUsername>
              <Outlet />
            </RequireUsername>
          </SessionEvents>
          <ClaimDraftsPrompt />
          <SendPendingUpdates />
        </ToastProvider>
      </TooltipProvider>
    </CSPProvider>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorPage error={error} />;
}
