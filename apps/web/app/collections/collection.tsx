import Play from 'lucide-react/icons/play';
import { useState } from 'react';
import { Link, redirect, useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageLayout } from '../ui/page/page.tsx';
import { PageError } from '../ui/page/page-error.tsx';
import { routeError } from '../ui/page/route-error.ts';
import { useRowFocus } from '../ui/lists/row-focus.ts';
import { VisibilityLabel } from '../projects/project-list.tsx';
import { findProject } from '../workspace/find-project.server.ts';
import type { Route } from './+types/collection';
import { useCollectionChanges } from './collection-changes.ts';
import { CollectionDetailsDialog } from './collection-details-dialog.tsx';
import { CollectionItems } from './collection-items.tsx';
import { getCollectionPath } from './collection-list.tsx';
import styles from './collection.module.css';
import { findCollection, type Collection } from './read-collection.server.ts';
import { SlideShow, type Slide } from './slide-show.tsx';

/** `/@ada/collections/abc…`; with `?slide=2`, the second project's result fills the page. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { search, searchParams } = new URL(request.url);
  const collection = params.handle.startsWith('@')
    ? await findCollection(requestInfo, params.slug)
    : undefined;
  if (!collection) throw routeError('not_found_or_private');
  if (params.handle !== `@${collection.owner.username}`)
    throw redirect(getCollectionPath(collection.owner.username, collection.slug) + search);
  const number = searchParams.get('slide');
  if (number === null) return { collection, slide: null };
  const shown = collection.items.flatMap(({ project }) => project ?? [])[Number(number) - 1];
  const project = shown && (await findProject(requestInfo, shown.slug));
  // Past the end, and for a project that was deleted just now.
  if (!project) throw redirect(getCollectionPath(collection.owner.username, collection.slug));
  return { collection, slide: { number: Number(number), project } satisfies Slide };
}

export const meta: Route.MetaFunction = ({ loaderData }) => {
  if (!loaderData) return [];
  const { collection, slide } = loaderData;
  const title = slide ? `${slide.project.identity.title} — ` : '';
  return [{ title: `${title}${collection.title} by ${collection.owner.username} — Vitrine` }];
};

export function ErrorBoundary() {
  return (
    <PageLayout>
      <PageError />
    </PageLayout>
  );
}

export default function CollectionPage({ loaderData }: Route.ComponentProps) {
  const { collection, slide } = loaderData;
  if (slide) return <SlideShow collection={collection} slide={slide} />;
  return (
    <PageLayout>
      <CollectionView collection={collection} />
    </PageLayout>
  );
}

function CollectionView({ collection }: { collection: Collection }) {
  const isOwn = useViewer()?.id === collection.owner.id;
  const { title, description, owner, items } = collection;
  const canPlay = items.some(({ project }) => project !== null);
  return (
    <div ref={useRowFocus<HTMLDivElement>()} className={styles.page}>
      <header className={styles.head}>
        <div className={styles.names}>
          <h1 className={styles.title}>
            <bdi>{title}</bdi>
          </h1>
          <p className={styles.note}>
            by <Link to={`/@${owner.username}`}>{owner.username}</Link>
            {isOwn && (
              <span className={styles.visibility}>
                <VisibilityLabel visibility={collection.visibility} />
              </span>
            )}
          </p>
        </div>
        <div className={styles.actions}>
          {canPlay && (
            <ButtonLink to="?slide=1" variant="primary" icon={<Play aria-hidden />}>
              Play
            </ButtonLink>
          )}
          {isOwn && <OwnerActions collection={collection} />}
        </div>
      </header>
      {description && <p className={styles.description}>{description}</p>}
      {items.length > 0 ? (
        <CollectionItems key={collection.id} collection={collection} isOwn={isOwn} />
      ) : (
        <EmptyState
          title={
            isOwn
              ? 'No projects yet. Add some from Your work, or from a project’s menu.'
              : 'No projects yet.'
          }
        >
          {isOwn && <ButtonLink to="/work">Your work</ButtonLink>}
        </EmptyState>
      )}
    </div>
  );
}

function OwnerActions({ collection }: { collection: Collection }) {
  const changes = useCollectionChanges();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = () => setDialog(undefined);

  async function remove(): Promise<void> {
    await changes.remove(collection.id);
    await navigate('/work?show=collections');
  }

  return (
    <>
      <Button onClick={() => setDialog('edit')}>Edit</Button>
      <Button onClick={() => setDialog('delete')}>Delete</Button>
      <CollectionDetailsDialog
        key={dialog}
        collection={collection}
        open={dialog === 'edit'}
        onClose={close}
        onSave={(details) => changes.update(collection.id, details)}
      />
      <ConfirmDialog
        open={dialog === 'delete'}
        onClose={close}
        title={`Delete “${collection.title}”?`}
        description="Its projects won’t be deleted. This can’t be undone."
        action="Delete collection"
        onConfirm={remove}
      />
    </>
  );
}
