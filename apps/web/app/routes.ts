import { index, layout, prefix, route, type RouteConfig } from '@react-router/dev/routes';

/**
 * The routes of the app. `:handle` is `@username`: a route pattern can't contain the `@`, so each
 * loader checks it.
 */
export default [
  layout('ui/page.tsx', [
    index('home/home.tsx'),
    route('new', 'projects/new.tsx'),
    route('work', 'projects/work.tsx'),
    ...prefix('auth', [
      route('sign-in', 'account/sign-in.tsx'),
      route('sign-up', 'account/sign-up.tsx'),
      route('forgot', 'account/forgot.tsx'),
      route('reset', 'account/reset.tsx'),
      route('callback', 'account/callback.tsx'),
      route('confirm', 'account/confirm.tsx'),
    ]),
    route('settings', 'account/settings.tsx', [
      route('profile', 'account/profile.tsx'),
      route('account', 'account/account.tsx'),
      route('sessions', 'account/sessions.tsx'),
    ]),
    route('outbox', 'account/outbox.tsx'),
    route(':handle', 'profile/profile.tsx'),
  ]),
  route('new/:template', 'workspace/start.tsx'),
  // One layout, so that a draft keeps its preview and editors when it is saved as a project.
  layout('workspace/screen.tsx', [
    route('draft/:id', 'workspace/draft.tsx'),
    route(':handle/:slug', 'workspace/project.tsx'),
  ]),
  route('p/:slug', 'workspace/short-address.ts'),
  route(':handle/:slug/full', 'workspace/preview/full.tsx'),
  route(':handle/:slug/entry', 'workspace/preview/entry.ts'),
  layout('ui/page.tsx', { id: 'page-not-found' }, [route('*', 'ui/not-found.tsx')]),
] satisfies RouteConfig;
