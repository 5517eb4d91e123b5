import { findFileChanges, type ProjectFiles } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import type * as Y from 'yjs';
import { Timer, whenIdle } from '../../schedule.ts';
import type { Version } from '../history/versions.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import { canSave, type ProjectIdentity } from '../sharing/identity.ts';

/** Quiet time after an edit, or a change of the preview, before a poster is taken. */
const quietMs = 4_000;
/** Shortest time between two posters of a project. */
const intervalMs = 60_000;
/** Tries for the same files. One fails if the preview is loading another document, for example. */
const maxTries = 3;

interface PosterOptions {
  readonly session: WorkspaceSession;
  readonly doc: Y.Doc;
  readonly preview: PreviewController;
  readonly preferences: PreferencesStore;
  readonly getClient: () => Promise<SupabaseClient>;
  /** Reads a version of the project. */
  readonly readVersion: (number: number) => Promise<Version>;
}

/**
 * Stores a poster of the project once the user's edits are saved and run without an error, until the signal
 * aborts. Others may see it, so it's one of what they see: of a published project only while the files are
 * those of its published version. A poster that can't be made in a few tries is left out until the next edit.
 */
export function updatePoster(options: PosterOptions, signal: AbortSignal): void {
  const { session, doc, preview, preferences } = options;
  const timer = new Timer();
  let published = findPublished(session);
  /** The user has changed something that no poster has been tried of. */
  let isOutdated = false;
  let triesLeft = 0;
  let lastStoredAt = Number.NEGATIVE_INFINITY;
  /** Counts changes by anyone. */
  let changes = 0;
  /** Files that the last poster shows. */
  let shown: ProjectFiles | undefined;

  const setOutdated = () => {
    isOutdated = true;
    triesLeft = maxTries;
  };

  const schedule = () => {
    timer.stop();
    if (!isOutdated || signal.aborted) return;
    const waitMs = Math.max(quietMs, lastStoredAt + intervalMs - performance.now());
    timer.start(waitMs, () => whenIdle(() => void tryNow()));
  };

  /** Whatever isn't ready yet schedules again when it changes. */
  function findReadyProject(): ProjectIdentity | undefined {
    const identity = session.identity.get();
    const isReady =
      !signal.aborted &&
      !document.hidden &&
      navigator.onLine &&
      session.saveStatus.state.get().status === 'saved' &&
      preview.state.get().status === 'running' &&
      // The preview may show earlier files.
      preferences.current.get().runMode !== 'hand' &&
      preview.problems.get().every(({ severity }) => severity === 'warning');
    return isReady && identity.kind === 'project' && canSave(identity) ? identity : undefined;
  }

  async function tryNow(): Promise<void> {
    const project = findReadyProject();
    if (!project) return;
    const files = session.readFiles();
    isOutdated = false;
    if (shown && isSame(shown, files)) return;
    triesLeft -= 1;
    const changesBefore = changes;
    try {
      const number = project.publishedVersion;
      if (number !== null && !isSame((await options.readVersion(number)).files, files)) return;
      const poster = await createPoster();
      if (changes !== changesBefore || findPublished(session) !== published) return;
      const name = `${project.id}/${number ?? 0}`;
      if (poster && (await storePoster(name, poster))) {
        lastStoredAt = performance.now();
        shown = files;
        return;
      }
    } catch {
      // No connection. Nobody asked for a poster.
    }
    isOutdated = triesLeft > 0;
    schedule();
  }

  async function createPoster(): Promise<Blob | undefined> {
    const picture = await preview.takePoster();
    if (picture.status === 'failed') return undefined;
    const { encodePoster } = await import('./create-poster.ts');
    return encodePoster(picture.png);
  }

  async function storePoster(name: string, poster: Blob): Promise<boolean> {
    const { uploadPoster } = await import('./create-poster.ts');
    return uploadPoster(await options.getClient(), name, poster);
  }

  const onTransaction = ({ local, changed }: Y.Transaction) => {
    if (changed.size === 0) return;
    changes += 1;
    // Whoever has made a change makes its poster.
    if (local) setOutdated();
    schedule();
  };
  doc.on('afterTransaction', onTransaction);
  const unsubscribes = [
    session.identity.subscribe(() => {
      const now = findPublished(session);
      if (now === published) return;
      published = now;
      shown = undefined;
      setOutdated();
      schedule();
    }),
    session.saveStatus.state.subscribe(schedule),
    preview.state.subscribe(schedule),
    preview.problems.subscribe(schedule),
  ];
  document.addEventListener('visibilitychange', schedule, { signal });
  signal.addEventListener('abort', () => {
    timer.stop();
    doc.off('afterTransaction', onTransaction);
    for (const unsubscribe of unsubscribes) unsubscribe();
  });
}

/** Number of the published version; null for the current version, and undefined for a draft. */
function findPublished({ identity }: WorkspaceSession): number | null | undefined {
  const current = identity.get();
  return current.kind === 'project' ? current.publishedVersion : undefined;
}

function isSame(before: ProjectFiles, after: ProjectFiles): boolean {
  const { changed, removed } = findFileChanges(before, after);
  return changed.size === 0 && removed.length === 0;
}
