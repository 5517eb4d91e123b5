import Play from 'lucide-react/icons/play';
import { useState } from 'react';
import { Link, redirect, useNavigate } from 'react-router';
import { findErrorCode } from '@vitrine/project';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageLayout } from '../ui/page/page.tsx';
import { PageError } from '../ui/page/page-error.tsx';
import { routeError } from '../ui/page/route-error.ts';
import { showErrorToast } from '../ui/toast.tsx';
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
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.names}>
          <h1 className={styles.title}>{title}</h1>
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
              ? 'No projects yet. Add some from Your work, or from the menu of a project.'
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
    try {
      await changes.remove(collection.id);
      await navigate('/work?show=collections');
    } catch (error) {
      close();
      showErrorToast(findErrorCode(error));
    }
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
      <Dialog
        open={dialog === 'delete'}
        onClose={close}
        title={`Delete “${collection.title}”?`}
        description="The projects in it stay. This can’t be undone."
        width="narrow"
      >
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button variant="danger" onClick={() => void remove()}>
            Delete collection
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
