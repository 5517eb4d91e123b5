import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { createAssetLoader } from '../../assets/asset-loader.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { useViewer } from '../../session/viewer.ts';
import type { FoundProject } from '../find-project.server.ts';
import { PermissionNote } from '../permissions/permission-note.tsx';
import { ProjectPermissions } from '../permissions/project-permissions.ts';
import { toProjectFiles } from '../project-files.ts';
import { getWorkspacePath, needsPreviewAccess } from '../sharing/identity.ts';
import { LimitationsNote } from './limitations-note.tsx';
import { choosePagePreviewHost } from './page-preview-host.ts';
import { createPreviewAccess } from './preview-access.ts';
import { PreviewController } from './preview-controller.ts';
import { PreviewStatusCard } from './preview-overlay.tsx';
import styles from './saved-result.module.css';

type ShownProject = Pick<FoundProject, 'identity' | 'files' | 'assets'>;

interface SavedResultProps {
  project: ShownProject;
  /** Whether the preview gets the focus once it runs, if nothing else has it. */
  takesFocus?: boolean;
}

/** The preview of a saved project, which fills the rest of a column. */
export function SavedResult({ project, takesFocus = false }: SavedResultProps) {
  const [preview] = useState(() => new PreviewController());
  const userId = useViewer()?.id ?? null;
  const { id } = project.identity;
  const permissions = useMemo(() => new ProjectPermissions(userId, id), [userId, id]);
  const frame = useSavedResult(preview, permissions, project, takesFocus);
  return (
    <>
      <LimitationsNote preview={preview} />
      <PermissionNote {...{ preview, permissions }} identity={project.identity} />
      <main className={styles.stage}>
        <div ref={frame} className={styles.frame} />
        <PreviewStatusCard preview={preview} />
      </main>
    </>
  );
}

function useSavedResult(
  preview: PreviewController,
  permissions: ProjectPermissions,
  { identity, files, assets }: ShownProject,
  takesFocus: boolean,
) {
  const element = useRef<HTMLDivElement>(null);
  const page = usePageSettings();
  const userId = useViewer()?.id ?? null;
  const { revalidate } = useRevalidator();
  const reloadProject = useEffectEvent(() => void revalidate());
  useEffect(() => {
    if (!element.current) return;
    const controller = new AbortController();
    permissions.load(controller.signal);
    const previewHost = choosePagePreviewHost(page);
    const key = identity.slug;
    const origin =
      previewHost.transport === 'isolated-origin' ? previewHost.origin(key) : previewHost.origin;
    const address = getWorkspacePath(identity);
    const projectFiles = toProjectFiles(files, assets);
    const project = identity.id;
    void preview.show(
      element.current,
      {
        key,
        previewHost,
        files: projectFiles,
        permissions: permissions.allowed.get(),
        loadAsset: createAssetLoader({ page, userId, files: projectFiles, project }),
        served: { revision: identity.revision },
        ...(needsPreviewAccess(identity) && {
          requestAccess: createPreviewAccess({ address, origin, key, first: null }),
        }),
      },
      controller.signal,
    );
    let hasRun = false;
    const unsubscribe = preview.state.subscribe(() => {
      const state = preview.state.get();
      if (state.status === 'running') {
        hasRun = true;
        if (takesFocus) focusPreview(element.current);
      }
      // The user may have lost access. A preview that never ran would fail again.
      if (state.status === 'failed' && state.reason === 'not-allowed' && hasRun) reloadProject();
    });
    const unsubscribePermissions = permissions.allowed.subscribe(() =>
      preview.setPermissions(permissions.allowed.get()),
    );
    return () => {
      unsubscribe();
      unsubscribePermissions();
      controller.abort();
      preview.close();
    };
  }, [preview, permissions, identity, files, assets, page, userId, takesFocus]);
  return element;
}

/**
 * Focuses the preview, which has no editor beside it here. Previews never take the focus by
 * themselves.
 */
function focusPreview(stage: HTMLElement | null): void {
  if (document.activeElement === document.body) stage?.querySelector('iframe')?.focus();
}
