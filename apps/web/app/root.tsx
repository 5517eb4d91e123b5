import { CSPProvider } from '@base-ui/react/csp-provider';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import type { ReactNode } from 'react';
import { Links, Meta, Outlet, Scripts, ScrollRestoration, useRouteLoaderData } from 'react-router';
import type { Route } from './+types/root';
import { requestContext } from './request-context.ts';
import './ui/tokens.css';
import './ui/base.css';
import { readTheme } from './ui/theme.ts';
import { ToastProvider } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

export function loader({ context, request }: Route.LoaderArgs) {
  const { nonce, page, origin } = context.get(requestContext);
  return { nonce, page, origin, theme: readTheme(request.headers.get('cookie')) };
}

export function Layout({ children }: { children: ReactNode }) {
  const data = useRouteLoaderData<typeof loader>('root');
  return (
    <html
      lang="en"
      data-theme={data && data.theme !== 'system' ? data.theme : undefined}
      suppressHydrationWarning
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function Root({ loaderData }: Route.ComponentProps) {
  return (
    <CSPProvider nonce={loaderData.nonce}>
      <TooltipProvider>
        <ToastProvider>
          <Outlet />
        </ToastProvider>
      </TooltipProvider>
    </CSPProvider>
  );
}
