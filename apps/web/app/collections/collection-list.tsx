import { VisibilityLabel } from '../projects/project-list.tsx';
import { ProjectPicture } from '../projects/project-picture.tsx';
import { Card, CardGrid } from '../ui/card.tsx';
import styles from './collection-list.module.css';
import type { CollectionSummary } from './read-collection.server.ts';

interface CollectionListProps {
  collections: readonly CollectionSummary[];
  username: string;
  /** Whether to show who may see each, for their owner. */
  showsVisibility?: boolean;
}

/** Cards of a user's collections. */
export function CollectionList({ collections, username, showsVisibility }: CollectionListProps) {
  return (
    <CardGrid label="Collections">
      {collections.map(({ id, slug, title, visibility, count, picture }) => (
        <li key={id}>
          <Card
            to={getCollectionPath(username, slug)}
            title={title}
            picture={<ProjectPicture content={picture} />}
            note={
              <span className={styles.note}>
                {showsVisibility && <VisibilityLabel visibility={visibility} />}
                <span>{count === 1 ? '1 project' : `${count} projects`}</span>
              </span>
            }
          />
        </li>
      ))}
    </CardGrid>
  );
}

export function getCollectionPath(username: string, slug: string): string {
  return `/@${username}/collections/${slug}`;
}
