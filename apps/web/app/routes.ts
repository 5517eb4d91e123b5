import { index, layout, prefix, route, type RouteConfig } from '@react-router/dev/routes';

/**
 * The routes of the app. `:handle` is `@username`: a route pattern can't contain the `@`, so each
 * loader checks it.
 */
export default [
  layout('ui/page/page.tsx', [
    index('home/home.tsx'),
    route('new', 'templates/new.tsx'),
    route('work', 'projects/work.tsx'),
    ...prefix('auth', [
      route('sign-in', 'account/auth/sign-in.tsx'),
      route('sign-up', 'account/auth/sign-up.tsx'),
      route('forgot', 'account/auth/forgot.tsx'),
      route('reset', 'account/auth/reset.tsx'),
      route('callback', 'account/auth/callback.tsx'),
      route('confirm', 'account/auth/confirm.tsx'),
    ]),
    route('settings', 'account/settings/settings.tsx', [
      route('profile', 'account/settings/profile.tsx'),
      route('account', 'account/settings/account.tsx'),
      route('sessions', 'account/settings/sessions.tsx'),
    ]),
    route('outbox', 'account/outbox.tsx'),
    route('invitations/:invitation', 'people/invitation.tsx'),
    // Addresses of code hosts, with the app's host before them.
    ...[
      'github.com',
      'gist.github.com',
      'raw.githubusercontent.com',
      'gist.githubusercontent.com',
      'gitlab.com',
      'codeberg.org',
      'bitbucket.org',
    ].map((host) => route(`${host}/*`, 'import/link-page.tsx', { id: host })),
    route(':handle', 'profile/profile.tsx'),
    route(':handle/:slug/forks', 'projects/forks.tsx'),
  ]),
  route('new/:template', 'workspace/start.tsx'),
  route('new/:handle/:slug', 'workspace/start.tsx', { id: 'start-from-project' }),
  route('new/:template/files', 'templates/template-files.ts'),
  route('new/:handle/:slug/files', 'templates/template-files.ts', { id: 'project-template-files' }),
  // One layout, so that a draft keeps its preview and editors when it is saved as a project.
  layout('workspace/screen.tsx', [
    route('draft/:id', 'workspace/draft.tsx'),
    route(':handle/:slug', 'workspace/project.tsx'),
  ]),
  // Without the page layout, because a slide fills the page.
  route(':handle/collections/:slug', 'collections/collection.tsx'),
  route('p/:slug', 'workspace/short-address.ts'),
  route('posters/:project/:version', 'projects/poster.ts'),
  route(':handle/:slug/full', 'workspace/preview/full.tsx'),
  route(':handle/:slug/entry', 'workspace/preview/entry.ts'),
  route(':handle/:slug/history', 'workspace/history/history-address.ts'),
  route(':handle/:slug/v/:number', 'workspace/history/version-page.tsx'),
  route(':handle/:slug/v/:number/*', 'workspace/preview/raw-file.ts'),
  layout('ui/page/page.tsx', { id: 'page-not-found' }, [route('*', 'ui/page/not-found.tsx')]),
] satisfies RouteConfig;
