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
import styles from './archive-dialog.module.css';
import { importArchive, type ImportOutcome } from './import-archive.ts';
import { readArchive, type Archive, type ArchivedProject } from './read-archive.ts';

interface ArchiveDialogProps {
  zip: File;
  viewer: Viewer;
  onClose: () => void;
}

/** Shows what is in an archive, then imports it. */
export function ArchiveDialog({ zip, viewer, onClose }: ArchiveDialogProps) {
  const { value: archive, failure } = useLoaded(zip, () => readArchive(zip));
  return (
    <Dialog open onClose={onClose} title={`Import ${zip.name}`}>
      <div className={styles.content}>
        {archive ? (
          <ImportForm archive={archive} viewer={viewer} onClose={onClose} />
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
  archive: Archive;
  viewer: Viewer;
  onClose: () => void;
}

function ImportForm({ archive, viewer, onClose }: ImportFormProps) {
  const { projects, collections } = archive;
  const page = usePageSettings();
  const { revalidate } = useRevalidator();
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
      setOutcome(
        await importArchive(archive, { page, owner: viewer.id, signal, onProgress: setDone }),
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
          {describeOutcome(outcome)} Nothing is lost: import again to continue with the rest.
        </output>
      )}
      <ScrollList label="Projects to import">
        {projects.map((project) => (
          <li key={project.id}>
            <ScrollListRow name={project.title} note={describeProject(project)} />
          </li>
        ))}
      </ScrollList>
      <p className={styles.note}>
        {formatCount(projects.length, 'project')} and{' '}
        {formatCount(collections.length, 'collection')}. Named versions come along, with the date of
        the import. Your profile and settings stay as they are.
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
          disabled={projects.length + collections.length === 0}
          onClick={() => void start()}
        >
          Import
        </Button>
      </DialogActions>
    </>
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

/** "Imported 3 projects. 2 projects were imported before." */
function describeOutcome({ imported, existing, failed }: ImportOutcome): string {
  const were = (count: number) =>
    `${formatCount(count, 'project')} ${count === 1 ? 'was' : 'were'}`;
  return [
    `Imported ${formatCount(imported, 'project')}.`,
    ...(existing > 0 ? [`${were(existing)} imported before.`] : []),
    ...(failed.length > 0 ? [`${were(failed.length)} not imported:`] : []),
  ].join(' ');
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
