import { Link } from 'react-router';
import { requestContext } from '../request-context.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { findPageProject } from '../workspace/find-page-project.server.ts';
import { getWorkspacePath } from '../workspace/sharing/identity.ts';
import type { Route } from './+types/forks';
import styles from './forks.module.css';
import { compareWithOriginal, listForks, type ForkChange } from './list-forks.server.ts';
import { ProjectRow, ProjectRows } from './project-row.tsx';

/** `/@ada/snake…/forks`: where a project comes from, what has changed since, and its forks. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { search } = new URL(request.url);
  const project = await findPageProject(requestInfo, { ...params, rest: '/forks', search });
  const [forks, changes] = await Promise.all([
    listForks(requestInfo, project.identity.slug),
    compareWithOriginal(requestInfo, project),
  ]);
  return { identity: project.identity, ...forks, changes };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData ? [{ title: `Forks of ${loaderData.identity.title} — Vitrine` }] : [];

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

export default function Forks({ loaderData }: Route.ComponentProps) {
  const { identity, forks, total, changes } = loaderData;
  const path = getWorkspacePath(identity);
  const others = total - forks.length;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>
          Forks of <Link to={path}>{identity.title}</Link>
        </h1>
        <p className={styles.note}>by {identity.owner}</p>
      </header>
      {identity.original && (
        <section className={styles.section} aria-label="Forked from">
          <h2 className={styles.heading}>
            Forked from <Link to={identity.original.address}>{identity.original.title}</Link>
          </h2>
          <Changes changes={changes} />
        </section>
      )}
      <section className={styles.section} aria-label="Forks">
        <h2 className={styles.heading}>Forks ({total})</h2>
        {forks.length > 0 && (
          <ProjectRows label="Forks">
            {forks.map((fork) => (
              <ProjectRow
                key={fork.slug}
                title={fork.title}
                to={`/@${fork.username}/${fork.slug}`}
                details={fork.username}
                changedAt={fork.updatedAt}
                actions={
                  <ButtonLink
                    to={`/@${fork.username}/${fork.slug}/forks`}
                    size="small"
                    variant="quiet"
                    aria-label={`Changes in ${fork.title} by ${fork.username}`}
                  >
                    Changes
                  </ButtonLink>
                }
              />
            ))}
          </ProjectRows>
        )}
        {total === 0 && <EmptyState title="No forks yet. Fork it to make your own version." />}
        {others > 0 && (
          <p className={styles.note}>
            {forks.length > 0 ? `${others} more` : others} {others === 1 ? 'is' : 'are'} private or
            unlisted.
          </p>
        )}
      </section>
    </div>
  );
}

const kinds = { added: 'Added', changed: 'Changed', removed: 'Removed' } as const;

/** Files that differ from the original as it is now. Null if the user can’t see the original. */
function Changes({ changes }: { changes: readonly ForkChange[] | null }) {
  if (changes === null) return <p className={styles.note}>The original isn’t available.</p>;
  if (changes.length === 0) {
    return <p className={styles.note}>No files differ from the original.</p>;
  }
  return (
    <ul className={styles.changes} aria-label="Changes since the fork">
      {changes.map(({ path, kind }) => (
        <li key={path} className={styles.change} data-kind={kind}>
          <span className={styles.kind}>{kinds[kind]}</span>
          <span className={styles.path}>{path}</span>
        </li>
      ))}
    </ul>
  );
}
