import Library from 'lucide-react/icons/library';
import Pencil from 'lucide-react/icons/pencil';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import Trash from 'lucide-react/icons/trash-2';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { AddToCollectionDialog } from '../collections/collection-dialogs.tsx';
import { roleNames } from '../people/people.ts';
import { Card, CardGrid } from '../ui/card.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import type { WorkProject } from './list-work.server.ts';
import { useProjectChanges } from './project-changes.ts';
import { VisibilityLabel } from './project-list.tsx';
import { ProjectPicture } from './project-picture.tsx';
import { ProjectRow, ProjectRows } from './project-row.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { useSelection, type Selection } from './selection.ts';
import { TagsDialog } from './tags-dialog.tsx';
import styles from './work-list.module.css';
import { formatWorkUrl, type WorkView } from './work-query.ts';

interface WorkListProps {
  label: string;
  projects: readonly WorkProject[];
  view: WorkView;
  /** The user's tags, to suggest. */
  tags: readonly string[];
  /** Whether the projects are the user's own: they can be selected and changed. */
  isOwn: boolean;
}

interface DialogState {
  readonly type: 'rename' | 'details' | 'tags' | 'collections';
  readonly ids: readonly string[];
  /** False while it fades out, with its last content. */
  readonly isOpen: boolean;
}

/** A page of projects as cards or rows. One's own can be selected, and changed together. */
export function WorkList({ label, projects, view, tags, isOwn }: WorkListProps) {
  const changes = useProjectChanges();
  const selection = useSelection(projects.map(({ id }) => id));
  const [dialog, setDialog] = useState<DialogState>();
  const find = (ids: readonly string[]) => projects.filter(({ id }) => ids.includes(id));
  const inDialog = find(dialog?.ids ?? []);
  const isOpen = (type: DialogState['type']) => dialog?.type === type && dialog.isOpen;
  const open = (type: DialogState['type'], ids: readonly string[]) =>
    setDialog({ type, ids, isOpen: true });
  const close = () => setDialog((current) => current && { ...current, isOpen: false });

  const renderMenu = (project: WorkProject) => (
    <>
      <MenuItem icon={<Pencil aria-hidden />} onSelect={() => open('rename', [project.id])}>
        Rename
      </MenuItem>
      <MenuItem
        icon={<SlidersHorizontal aria-hidden />}
        onSelect={() => open('details', [project.id])}
      >
        Edit details
      </MenuItem>
      <MenuItem icon={<Library aria-hidden />} onSelect={() => open('collections', [project.id])}>
        Add to collection
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={<Trash aria-hidden />}
        onSelect={() => void changes.moveToTrash([project])}
      >
        Move to trash
      </MenuItem>
    </>
  );

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles Escape for its contents
    <div onKeyDown={selection.onKeyDown}>
      <ProjectItems
        label={label}
        projects={projects}
        view={view}
        {...(isOwn && { selection, renderMenu })}
      />
      {isOwn && (
        <>
          <BulkBar
            selection={selection}
            projects={find(selection.ids)}
            changes={changes}
            onEditTags={() => open('tags', selection.ids)}
            onCollect={() => open('collections', selection.ids)}
          />
          <RenameDialog
            key={dialog?.ids[0]}
            title={inDialog[0]?.title ?? ''}
            open={isOpen('rename')}
            onClose={close}
            onRename={async (title) => {
              if (inDialog[0]) await changes.rename(inDialog[0], title);
            }}
          />
          {dialog && isOpen('collections') && (
            <AddToCollectionDialog projects={dialog.ids} onClose={close} />
          )}
          {isOpen('details') && inDialog[0] && (
            <DetailsDialog
              project={inDialog[0].id}
              onClose={close}
              onRename={async (title) => {
                if (inDialog[0]) await changes.rename(inDialog[0], title);
              }}
              onSaved={changes.reload}
            />
          )}
          <TagsDialog
            projects={inDialog}
            suggestions={tags}
            changes={changes}
            open={isOpen('tags') && inDialog.length > 0}
            onClose={close}
          />
        </>
      )}
    </div>
  );
}

interface ProjectItemsProps {
  label: string;
  projects: readonly WorkProject[];
  view: WorkView;
  /** Both are only for projects that the user may change. */
  selection?: Selection;
  renderMenu?: (project: WorkProject) => ReactNode;
}

function ProjectItems({ label, projects, view, selection, renderMenu }: ProjectItemsProps) {
  if (view === 'list') {
    return (
      <ProjectRows label={label}>
        {projects.map((project) => (
          <ProjectRow
            key={project.id}
            title={project.title}
            to={getPath(project)}
            {...(selection && { select: <SelectBox project={project} selection={selection} /> })}
            below={<Extras project={project} />}
            details={<Details project={project} />}
            changedAt={project.updatedAt}
            {...(renderMenu && { menu: renderMenu(project) })}
          />
        ))}
      </ProjectRows>
    );
  }
  return (
    <CardGrid label={label}>
      {projects.map((project) => (
        <li key={project.id} className={styles.item} data-selected={selection?.has(project.id)}>
          <Card
            to={getPath(project)}
            title={project.title}
            picture={<ProjectPicture content={project.picture} />}
            note={
              <>
                <span className={styles.details}>
                  <Details project={project} />
                  <span className={styles.time}>
                    <RelativeTime at={project.updatedAt} />
                  </span>
                </span>
                <Extras project={project} />
              </>
            }
            aside={
              selection &&
              renderMenu && (
                <span className={styles.controls}>
                  <SelectBox project={project} selection={selection} />
                  <Menu
                    trigger={
                      <IconButton label={`Actions for ${project.title}`} size="small">
                        <Ellipsis aria-hidden />
                      </IconButton>
                    }
                  >
                    {renderMenu(project)}
                  </Menu>
                </span>
              )
            }
          />
        </li>
      ))}
    </CardGrid>
  );
}

/** The owner of a project without a username can't open it yet; no one else can, either. */
function getPath({ owner, slug }: WorkProject): string {
  return owner === null ? `/p/${slug}` : `/@${owner}/${slug}`;
}

interface SelectBoxProps {
  project: Pick<WorkProject, 'id' | 'title'>;
  selection: Selection;
}

/** Checkbox of a project. Shift selects everything up to the last one that was toggled. */
export function SelectBox({ project, selection }: SelectBoxProps) {
  return (
    <label className={styles.select}>
      <input
        type="checkbox"
        aria-label={`Select ${project.title}`}
        checked={selection.has(project.id)}
        // Shift-click would select the text in between.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onChange={({ nativeEvent }) =>
          selection.toggle(project.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}

/** The visibility of one's own project; the owner and one's role for others. */
function Details({ project }: { project: WorkProject }) {
  if (project.role === 'owner') return <VisibilityLabel visibility={project.visibility} />;
  return `${project.owner ?? ''} · ${roleNames[project.role]}`;
}

/** Tags, and where the search text was found. */
function Extras({ project: { tags, match } }: { project: WorkProject }) {
  return (
    <>
      {match && (
        <span className={styles.match}>
          <span className={styles.matchPath}>
            {match.path}
            {match.line !== null && `:${match.line}`}
          </span>
          {match.text !== null && <code className={styles.matchText}>{match.text.trim()}</code>}
        </span>
      )}
      {tags.length > 0 && (
        <span className={styles.tags}>
          {tags.map((tag) => (
            <Link key={tag} to={formatWorkUrl({ tag })} className={styles.tag}>
              #{tag}
            </Link>
          ))}
        </span>
      )}
    </>
  );
}
