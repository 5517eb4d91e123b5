import { Link } from 'react-router';
import { requestContext } from '../request-context.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { findPageProject } from '../workspace/find-page-project.server.ts';
import { getWorkspacePath } from '../workspace/sharing/identity.ts';
import type { Route } from './+types/forks';
import styles from './forks.module.css';
import { compareWithOriginal, listForks, type ForkComparison } from './list-forks.server.ts';
import { ProjectRow, ProjectRows } from './project-row.tsx';

/** `/@ada/snake…/forks`: where a project comes from, what has changed since, and its forks. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { search } = new URL(request.url);
  const project = await findPageProject(requestInfo, { ...params, rest: '/forks', search });
  const [forks, comparison] = await Promise.all([
    listForks(requestInfo, project.identity.slug),
    compareWithOriginal(requestInfo, project),
  ]);
  return { identity: project.identity, ...forks, comparison };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData ? [{ title: `Forks of ${loaderData.identity.title} — Vitrine` }] : [];

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

export default function Forks({ loaderData }: Route.ComponentProps) {
  const { identity, forks, total, comparison } = loaderData;
  const path = getWorkspacePath(identity);
  const others = total - forks.length;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>
          Forks of{' '}
          <Link to={path}>
            <bdi>{identity.title}</bdi>
          </Link>
        </h1>
        <p className={styles.note}>by {identity.owner}</p>
      </header>
      {identity.original && (
        <section className={styles.section} aria-label="Forked from">
          <h2 className={styles.heading}>
            Forked from{' '}
            <Link to={identity.original.address}>
              <bdi>{identity.original.title}</bdi>
            </Link>
          </h2>
          <Changes comparison={comparison} original={identity.original.address} />
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
        {total === 0 && (
          <EmptyState title="No forks yet. Fork this project to make your own version." />
        )}
        {others > 0 && (
          <p className={styles.note}>
            {others} {forks.length > 0 && 'more '}
            {others === 1 ? 'fork is' : 'forks are'} private or unlisted.
          </p>
        )}
      </section>
    </div>
  );
}

const kinds = { added: 'Added', changed: 'Modified', removed: 'Removed' } as const;

interface ChangesProps {
  /** Null if the user can’t see the original. */
  comparison: ForkComparison | null;
  /** URL path of the original. */
  original: string;
}

/** Files that the fork has changed. */
function Changes({ comparison, original }: ChangesProps) {
  if (comparison === null) return <p className={styles.note}>The original isn’t available.</p>;
  const { version, changes } = comparison;
  const compared =
    version === null ? (
      'the original as it is now'
    ) : (
      <Link to={`${original}/v/${version}`}>version {version}</Link>
    );
  if (changes.length === 0) return <p className={styles.note}>No changes from {compared}.</p>;
  return (
    <>
      <p className={styles.note}>
        {changes.length === 1 ? '1 file differs' : `${changes.length} files differ`} from {compared}
        .
      </p>
      <ul className={styles.changes} aria-label="Changes since the fork">
        {changes.map(({ path, kind }) => (
          <li key={path} className={styles.change} data-kind={kind}>
            <span className={styles.kind}>{kinds[kind]}</span>
            <bdi className={styles.path}>{path}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
