import { describeError, findErrorCode, limits, type ErrorCode } from '@vitrine/project';
import Ellipsis from 'lucide-react/icons/ellipsis';
import GripVertical from 'lucide-react/icons/grip-vertical';
import { useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { Link } from 'react-router';
import { ProjectPicture } from '../projects/project-picture.tsx';
import { Announcement } from '../ui/announcement.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { useCollectionChanges } from './collection-changes.ts';
import styles from './collection-items.module.css';
import type { Collection, CollectionItem } from './read-collection.server.ts';

interface CollectionItemsProps {
  collection: Collection;
  isOwn: boolean;
}

/** The projects of a collection. Its owner orders them, by dragging or with the arrow keys. */
export function CollectionItems({ collection, isOwn }: CollectionItemsProps) {
  const changes = useCollectionChanges();
  const { items, move, reset, announcement } = useOrder(collection, changes.order);
  const [dragged, setDragged] = useState<string>();
  const [editing, setEditing] = useState<CollectionItem>();

  async function remove(item: CollectionItem): Promise<void> {
    try {
      await changes.removeProject(collection.id, item.id);
      const order = items.map(({ id }) => id);
      const restore = async () => {
        await changes.addProjects(collection.id, [item.id]);
        await changes.order(collection.id, order);
        if (item.note !== '') await changes.setNote(collection.id, item.id, item.note);
      };
      showToast({
        title: `Removed “${getTitle(item)}” from the collection`,
        // A project that's gone can't be added again.
        ...(item.project && {
          action: { label: 'Undo', run: () => void restore().catch(showError) },
        }),
      });
    } catch (error) {
      showError(error);
    }
  }

  const renderItem = (item: CollectionItem, index: number) => (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the handle's keys move it, too
    <li
      key={item.id}
      className={styles.item}
      data-dragged={item.id === dragged || undefined}
      onDragOver={(event) => {
        if (dragged === undefined) return;
        event.preventDefault();
        if (dragged !== item.id) move(dragged, index);
      }}
      onDrop={(event) => dragged !== undefined && event.preventDefault()}
    >
      {isOwn && (
        <Handle
          title={getTitle(item)}
          onMove={(offset) => move(item.id, index + offset, true)}
          onDragStart={() => setDragged(item.id)}
          onDragEnd={(isDropped) => {
            if (isDropped) move(item.id, index, true);
            else reset();
            setDragged(undefined);
          }}
        />
      )}
      <ItemText item={item} />
      {isOwn && (
        <Menu
          trigger={
            <IconButton label={`Actions for ${getTitle(item)}`} size="small">
              <Ellipsis aria-hidden />
            </IconButton>
          }
        >
          <MenuItem onSelect={() => setEditing(item)}>
            {item.note === '' ? 'Add note' : 'Edit note'}
          </MenuItem>
          {item.project && item.id !== collection.coverId && (
            <MenuItem
              onSelect={() =>
                void changes.update(collection.id, { cover_id: item.id }).catch(showError)
              }
            >
              Use as cover
            </MenuItem>
          )}
          <MenuItem disabled={index === 0} onSelect={() => move(item.id, index - 1, true)}>
            Move up
          </MenuItem>
          <MenuItem
            disabled={index === items.length - 1}
            onSelect={() => move(item.id, index + 1, true)}
          >
            Move down
          </MenuItem>
          <MenuSeparator />
          <MenuItem danger onSelect={() => void remove(item)}>
            Remove from collection
          </MenuItem>
        </Menu>
      )}
    </li>
  );

  return (
    <>
      <ol className={styles.items} aria-label="Projects">
        {items.map(renderItem)}
      </ol>
      <Announcement>{announcement}</Announcement>
      <NoteDialog
        key={editing?.id}
        item={editing}
        onClose={() => setEditing(undefined)}
        onSave={(note) => changes.setNote(collection.id, editing?.id ?? '', note)}
      />
    </>
  );
}

/**
 * The order as the user has just put it, until the page has the saved one. `move` with `isFinal` saves
 * it; without, it's shown only, as while dragging.
 */
function useOrder(
  collection: Collection,
  save: (collection: string, projects: readonly string[]) => Promise<void>,
) {
  const [order, setOrder] = useState<readonly string[]>();
  /** The last save. Saves follow each other, so that the last order is the one that stays. */
  const lastSave = useRef(Promise.resolve());
  const [announcement, setAnnouncement] = useState('');
  const items = order
    ? collection.items.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
    : collection.items;

  function move(id: string, to: number, isFinal = false): void {
    const from = items.findIndex((item) => item.id === id);
    const item = items[from];
    if (!item || to < 0 || to >= items.length) return;
    const next = items
      .map((each) => each.id)
      .toSpliced(from, 1)
      .toSpliced(to, 0, id);
    setOrder(next);
    if (!isFinal) return;
    setAnnouncement(`${getTitle(item)}, position ${to + 1} of ${items.length}`);
    const saved = saveAfter(lastSave.current, next).finally(() => {
      if (lastSave.current === saved) setOrder(undefined);
    });
    lastSave.current = saved;
  }

  async function saveAfter(earlier: Promise<void>, next: readonly string[]): Promise<void> {
    await earlier;
    await save(collection.id, next).catch(showError);
  }

  return { items, move, reset: () => setOrder(undefined), announcement };
}

interface HandleProps {
  title: string;
  onMove: (offset: -1 | 1) => void;
  onDragStart: () => void;
  /** Called with false if the drag was canceled. */
  onDragEnd: (isDropped: boolean) => void;
}

/** Button that drags its row, and moves it with the arrow keys. */
function Handle({ title, onMove, onDragStart, onDragEnd }: HandleProps) {
  function handleKey(event: KeyboardEvent<HTMLButtonElement>): void {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? -1 : 1);
    // An element that's moved in the document loses the focus.
    const handle = event.currentTarget;
    requestAnimationFrame(() => handle.focus());
  }

  function startDrag(event: DragEvent): void {
    event.dataTransfer.effectAllowed = 'move';
    // Firefox drags only what has data.
    event.dataTransfer.setData('text/plain', title);
    onDragStart();
  }

  return (
    <button
      type="button"
      draggable
      className={styles.handle}
      aria-label={`Move ${title}`}
      title="Drag, or press the arrow keys"
      onKeyDown={handleKey}
      onDragStart={startDrag}
      onDragEnd={({ dataTransfer }) => onDragEnd(dataTransfer.dropEffect !== 'none')}
    >
      <GripVertical aria-hidden />
    </button>
  );
}

function ItemText({ item: { note, project } }: { item: CollectionItem }) {
  return (
    <>
      <span className={styles.picture}>
        <ProjectPicture content={project?.picture ?? null} />
      </span>
      <div className={styles.text}>
        {project ? (
          <>
            <Link to={`/@${project.username}/${project.slug}`} className={styles.title}>
              <bdi>{project.title}</bdi>
            </Link>
            <span className={styles.owner}>{project.username}</span>
          </>
        ) : (
          <span className={styles.owner}>This project isn’t available anymore.</span>
        )}
        {note && <p className={styles.note}>{note}</p>}
      </div>
    </>
  );
}

interface NoteDialogProps {
  item: CollectionItem | undefined;
  onClose: () => void;
  onSave: (note: string) => Promise<void>;
}

function NoteDialog({ item, onClose, onSave }: NoteDialogProps) {
  const [state, setState] = useState<{ isBusy: boolean; error?: ErrorCode }>({ isBusy: false });

  async function save(note: string): Promise<void> {
    if ([...note].length > limits.noteMax)
      return setState({ isBusy: false, error: 'note_too_long' });
    setState({ isBusy: true });
    try {
      await onSave(note);
      onClose();
    } catch (error) {
      setState({ isBusy: false, error: findErrorCode(error) });
    }
  }

  return (
    <Dialog
      open={item !== undefined}
      onClose={onClose}
      title={`Note on “${item ? getTitle(item) : ''}”`}
      width="narrow"
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const note = new FormData(event.currentTarget).get('note');
          void save(typeof note === 'string' ? note.trim() : '');
        }}
      >
        <TextArea
          label="Note"
          name="note"
          rows={4}
          defaultValue={item?.note}
          error={state.error && describeError(state.error).message}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={state.isBusy}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function getTitle({ project }: CollectionItem): string {
  return project?.title ?? 'Unavailable project';
}

function showError(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
