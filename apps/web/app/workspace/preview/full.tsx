import { Link } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Logo } from '../../ui/page/logo.tsx';
import type { Route } from './+types/full';
import { findPageProject } from '../find-page-project.server.ts';
import styles from './full.module.css';
import { getWorkspacePath } from '../sharing/identity.ts';
import { SavedResult } from './saved-result.tsx';

export async function loader({ context, params, request }: Route.LoaderArgs) {
  const { search } = new URL(request.url);
  const address = { ...params, rest: '/full', search };
  const { identity, files, assets } = await findPageProject(context.get(requestContext), address);
  return { identity, files, assets };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  // An error page has its own title.
  loaderData ? [{ title: `${loaderData.identity.title} — Vitrine` }] : [];

export { WorkspaceErrorBoundary as ErrorBoundary } from '../workspace-error-boundary.tsx';

/** Full-page preview of the saved project, with a small bar that links back to the code. */
export default function Full({ loaderData }: Route.ComponentProps) {
  const { identity } = loaderData;
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Link to="/" className={styles.home} aria-label="Vitrine, home">
          <Logo size={16} />
        </Link>
        <h1 className={styles.title}>{identity.title}</h1>
        <span className={styles.owner}>{identity.owner}</span>
        <ButtonLink
          to={getWorkspacePath(identity)}
          size="small"
          variant="quiet"
          className={styles.code}
        >
          View code
        </ButtonLink>
      </header>
      <SavedResult project={loaderData} takesFocus />
    </div>
  );
}
