import type { ProjectFile } from '@vitrine/project';
import { formatSize } from '../../ui/format-size.ts';
import styles from './history-view.module.css';
import type { ChangeKind } from './versions.ts';

const kinds: Readonly<Record<ChangeKind, string>> = {
  added: 'Added',
  changed: 'Modified',
  removed: 'Removed',
};

interface ChangedFileProps {
  path: string;
  kind: ChangeKind;
  /** Sizes of an asset: "12 KB → 14 KB". */
  sizes?: string | undefined;
  onOpen: () => void;
}

/** A changed file in a list, with what happened to it. */
export function ChangedFile({ path, kind, sizes, onOpen }: ChangedFileProps) {
  return (
    <li>
      <button
        type="button"
        className={styles.file}
        aria-label={[path, sizes, kinds[kind]].filter(Boolean).join(' ')}
        title={path}
        onClick={onOpen}
      >
        <span className={styles.path}>
          {/* Keeps the end of a long path visible, and its punctuation in place. */}
          <bdi>{path}</bdi>
        </span>{' '}
        {sizes !== undefined && <span className={styles.sizes}>{sizes} </span>}
        <span className={styles.kind} data-kind={kind}>
          {kinds[kind]}
        </span>
      </button>
    </li>
  );
}

/** "12 KB → 14 KB" for a changed asset, "12 KB" for an added or removed one. */
export function formatAssetSizes(
  before: ProjectFile | undefined,
  after: ProjectFile | undefined,
): string | undefined {
  const sizes = [before, after].flatMap((file) =>
    file?.kind === 'asset' ? [formatSize(file.size)] : [],
  );
  return sizes.length === 0 ? undefined : sizes.join(' → ');
}
