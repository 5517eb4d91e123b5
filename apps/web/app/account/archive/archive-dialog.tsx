import { describeError, findErrorCode, type ErrorCode } from '@vitrine/project';
import { useEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { usePageSettings } from '../../session/page-settings.ts';
import type { Viewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { ScrollList, ScrollListRow } from '../../ui/lists/scroll-list.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { Select } from '../../ui/select.tsx';
import styles from './archive-dialog.module.css';
import {
  ArchiveImport,
  type EarlierImport,
  type ImportAction,
  type ImportOutcome,
} from './import-archive.ts';
import { readArchive, type ArchivedCollection, type ArchivedProject } from './read-archive.ts';

interface ArchiveDialogProps {
  zip: File;
  viewer: Viewer;
  onClose: () => void;
}

/** Shows what is in an archive and what an import would do, then imports it. */
export function ArchiveDialog({ zip, viewer, onClose }: ArchiveDialogProps) {
  const page = usePageSettings();
  const { value: archiveImport, failure } = useLoaded(zip, async () =>
    ArchiveImport.open(await readArchive(zip), page, viewer.id),
  );
  return (
    <Dialog open onClose={onClose} title={`Import ${zip.name}`}>
      <div className={styles.content}>
        {archiveImport ? (
          <ImportForm archiveImport={archiveImport} onClose={onClose} />
        ) : failure === undefined ? (
          <output>Reading archive…</output>
        ) : (
          <>
            <ErrorNotice code={failure} />
            <DialogActions>
              <Button onClick={onClose}>Close</Button>
            </DialogActions>
          </>
        )}
      </div>
    </Dialog>
  );
}

interface ImportFormProps {
  archiveImport: ArchiveImport;
  onClose: () => void;
}

function ImportForm({ archiveImport, onClose }: ImportFormProps) {
  const { archive, earlier } = archiveImport;
  const { projects, collections } = archive;
  const items = [...projects, ...collections];
  const { revalidate } = useRevalidator();
  const [actions, setActions] = useState<ReadonlyMap<string, ImportAction>>(
    () => new Map(items.map(({ id }) => [id, chooseAction(earlier.get(id))])),
  );
  const [visibility, setVisibility] = useState<'private' | 'archive'>('private');
  const [done, setDone] = useState<number>();
  const [outcome, setOutcome] = useState<ImportOutcome>();
  const [failure, setFailure] = useState<ErrorCode>();
  const abort = useRef<AbortController>(undefined);
  // Closing the dialog ends the import after the current request.
  useEffect(() => () => abort.current?.abort(), []);
  const isImporting = done !== undefined && !outcome && failure === undefined;

  async function start(): Promise<void> {
    abort.current = new AbortController();
    const { signal } = abort.current;
    setFailure(undefined);
    setOutcome(undefined);
    setDone(0);
    try {
      const keepsVisibility = visibility === 'archive';
      setOutcome(
        await archiveImport.run({ actions, keepsVisibility, signal, onProgress: setDone }),
      );
      await revalidate();
    } catch (error) {
      setFailure(findErrorCode(error));
    }
  }

  if (outcome && outcome.stopped === undefined)
    return (
      <>
        <output>{describeOutcome(outcome)}</output>
        <FailureList outcome={outcome} />
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </>
    );
  const stopped = outcome?.stopped ?? failure;
  return (
    <>
      {stopped !== undefined && <ErrorNotice code={stopped} />}
      {outcome && (
        <output>
          {describeOutcome(outcome)} Nothing was lost. Import again to pick up where you left off.
        </output>
      )}
      <ScrollList label="Projects and collections to import">
        {items.map((item) => (
          <ItemRow
            key={item.id}
            item={item}
            earlier={earlier.get(item.id)}
            action={actions.get(item.id) ?? 'skip'}
            disabled={isImporting}
            onChange={(action) => setActions(new Map(actions).set(item.id, action))}
          />
        ))}
      </ScrollList>
      {items.some((item) => item.visibility !== 'private') && (
        <Select
          label="Visibility of what’s added"
          value={visibility}
          options={[
            { value: 'private', label: 'Private' },
            { value: 'archive', label: 'As in the archive' },
          ]}
          disabled={isImporting}
          onChange={setVisibility}
        />
      )}
      <p className={styles.note}>
        Named versions are included, dated today. Update replaces files and details, saves the
        current files as a version first, and keeps the visibility. Your profile and settings won’t
        change.
      </p>
      {isImporting && (
        <div className={styles.progress}>
          <progress aria-label="Import" max={projects.length} value={done} />
          <span className={styles.note}>
            {done} of {projects.length}
          </span>
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="primary"
          busy={isImporting}
          disabled={[...actions.values()].every((action) => action === 'skip')}
          onClick={() => void start()}
        >
          Import
        </Button>
      </DialogActions>
    </>
  );
}

/** What the dialog suggests: to continue an import, otherwise to change nothing that exists. */
function chooseAction(earlier: EarlierImport | undefined): ImportAction {
  if (!earlier) return 'copy';
  return earlier.isComplete ? 'skip' : 'update';
}

interface ItemRowProps {
  item: ArchivedProject | ArchivedCollection;
  earlier: EarlierImport | undefined;
  action: ImportAction;
  disabled: boolean;
  onChange: (action: ImportAction) => void;
}

/** A project or a collection, and what happens to it. */
function ItemRow({ item, earlier, action, disabled, onChange }: ItemRowProps) {
  const description = 'files' in item ? describeProject(item) : describeCollection(item);
  return (
    <li className={styles.item}>
      <div>
        <div className={styles.title}>{item.title}</div>
        <div className={styles.note}>
          {description}
          {earlier && <div>{describeEarlier(earlier)}</div>}
        </div>
      </div>
      <Select<ImportAction>
        label={`Import of ${item.title}`}
        labelHidden
        size="small"
        value={action}
        options={[
          ...(earlier ? [{ value: 'update' as const, label: 'Update' }] : []),
          { value: 'copy', label: 'Add a copy' },
          { value: 'skip', label: 'Skip' },
        ]}
        disabled={disabled}
        onChange={onChange}
      />
    </li>
  );
}

/** Projects that can't be imported, and why. */
function FailureList({ outcome: { failed } }: { outcome: ImportOutcome }) {
  if (failed.length === 0) return null;
  return (
    <ScrollList label="Not imported">
      {failed.map(({ title, code }, index) => (
        <li key={index}>
          <ScrollListRow name={title} note={describeError(code).message} />
        </li>
      ))}
    </ScrollList>
  );
}

/** "Public, 12 files, 3 versions" */
function describeProject(project: ArchivedProject): string {
  const { isInTrash, visibility, files, versions } = project;
  const state = isInTrash ? 'in trash' : visibility;
  return [
    `${state.slice(0, 1).toUpperCase()}${state.slice(1)}`,
    formatCount(files.size, 'file'),
    ...(versions.length > 0 ? [formatCount(versions.length, 'version')] : []),
  ].join(', ');
}

/** "Collection, unlisted, 3 projects" */
function describeCollection({ visibility, items }: ArchivedCollection): string {
  return `Collection, ${visibility}, ${formatCount(items.length, 'project')}`;
}

/** "Imported before. Now public." */
function describeEarlier({ isComplete, isInTrash, visibility }: EarlierImport): string {
  const state = isInTrash ? 'in trash' : visibility;
  return `${isComplete ? 'Imported before' : 'Partly imported before'}. Now ${state}.`;
}

/** "Added 3 projects. Skipped 1 project." */
function describeOutcome({ added, updated, skipped, failed }: ImportOutcome): string {
  const parts = [
    ...(added > 0 ? [`Added ${formatCount(added, 'project')}.`] : []),
    ...(updated > 0 ? [`Updated ${formatCount(updated, 'project')}.`] : []),
    ...(skipped > 0 ? [`Skipped ${formatCount(skipped, 'project')}.`] : []),
    ...(failed.length > 0 ? [`Couldn’t import ${formatCount(failed.length, 'project')}:`] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : 'Nothing was added yet.';
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
