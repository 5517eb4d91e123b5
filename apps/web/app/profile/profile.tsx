import { validateUsername } from '@vitrine/project';
import { requestContext } from '../request-context.ts';
import { CollectionList } from '../collections/collection-list.tsx';
import { listCollections, type CollectionSummary } from '../collections/read-collection.server.ts';
import { ProjectPicture } from '../projects/project-picture.tsx';
import { useAvatarUrl, useViewer } from '../session/viewer.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Card, CardGrid } from '../ui/card.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { routeError } from '../ui/page/route-error.ts';
import type { Route } from './+types/profile';
import { findProfile, listPublicProjects } from './find-profile.server.ts';
import styles from './profile.module.css';

/** `/@ada`: a user's public profile, the same for every viewer. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const username = params.handle.startsWith('@') ? params.handle.slice(1).toLowerCase() : '';
  const profile = validateUsername(username) ? undefined : await findProfile(request, username);
  if (!profile) throw routeError('not_found_or_private');
  const [projects, collections] = await Promise.all([
    listPublicProjects(request, profile.id),
    listCollections(request, profile.id),
  ]);
  // A profile is the same for every viewer.
  const isPublic = ({ visibility }: CollectionSummary) => visibility === 'public';
  return { profile, projects, collections: collections.filter(isPublic) };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData
    ? [{ title: `${loaderData.profile.name} (@${loaderData.profile.username}) — Vitrine` }]
    : [{ title: 'Vitrine' }];

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

export default function Profile({ loaderData }: Route.ComponentProps) {
  const { profile, projects, collections } = loaderData;
  const isOwn = useViewer()?.id === profile.id;
  const avatar = useAvatarUrl(profile);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Avatar name={profile.name} picture={avatar} size={64} />
        <div className={styles.names}>
          <h1 className={styles.name}>
            <bdi>{profile.name}</bdi>
          </h1>
          <p className={styles.username}>@{profile.username}</p>
        </div>
        {isOwn && (
          <ButtonLink to="/settings/profile" size="small">
            Edit profile
          </ButtonLink>
        )}
      </header>
      {profile.bio && (
        <p dir="auto" className={styles.bio}>
          {profile.bio}
        </p>
      )}
      {URL.canParse(profile.website) && (
        <a className={styles.website} href={profile.website} rel="nofollow ugc noreferrer">
          {new URL(profile.website).host}
        </a>
      )}
      <section className={styles.projects} aria-label="Public projects">
        <h2 className={styles.heading}>Public projects</h2>
        {projects.length > 0 ? (
          <CardGrid label="Public projects">
            {projects.map(({ slug, title, description, tags, updatedAt, picture }) => (
              <li key={slug} className={styles.project}>
                <Card
                  to={`/@${profile.username}/${slug}`}
                  title={title}
                  picture={<ProjectPicture content={picture} />}
                  note={
                    <>
                      {description !== '' && (
                        <span className={styles.description}>{description}</span>
                      )}
                      <span className={styles.meta}>
                        <RelativeTime at={updatedAt} />
                        {tags.map((tag) => (
                          <span key={tag}>#{tag}</span>
                        ))}
                      </span>
                    </>
                  }
                />
              </li>
            ))}
          </CardGrid>
        ) : (
          <EmptyState
            title={
              isOwn
                ? 'No public projects yet. To show a project here, make it public in Share.'
                : 'No public projects yet.'
            }
          >
            {isOwn && <ButtonLink to="/work">Your work</ButtonLink>}
          </EmptyState>
        )}
      </section>
      {collections.length > 0 && (
        <section className={styles.projects} aria-label="Collections">
          <h2 className={styles.heading}>Collections</h2>
          <CollectionList collections={collections} username={profile.username} />
        </section>
      )}
    </div>
  );
}
