import { getTexts, type AssetFile } from '@vitrine/project';
import { useEffect, useRef, useState } from 'react';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { choosePagePreviewHost } from '../preview/page-preview-host.ts';
import { LimitationsNote } from '../preview/limitations-note.tsx';
import { createPreviewAccess } from '../preview/preview-access.ts';
import { PreviewController } from '../preview/preview-controller.ts';
import { PreviewStatusCard } from '../preview/preview-overlay.tsx';
import { getWorkspacePath, isMember, type ProjectIdentity } from '../sharing/identity.ts';
import type { ProjectState } from './project-history.ts';
import styles from './version-preview.module.css';

interface VersionPreviewProps {
  project: ProjectIdentity;
  /** Without it, the server alone knows the version's packages. */
  packages?: ProjectPackages;
  version: ProjectState;
  loadAsset?: ((asset: AssetFile) => Promise<Blob>) | undefined;
  /** Title of the frame. */
  title: string;
}

/**
 * Preview of a version, or of the current version as it is when this is mounted, on an origin of its own:
 * it shares no storage with other versions, nor with the preview in the workspace.
 */
export function VersionPreview({
  project,
  packages,
  version,
  loadAsset,
  title,
}: VersionPreviewProps) {
  const [preview] = useState(() => new PreviewController());
  const [shown] = useState(version);
  const element = useRef<HTMLDivElement>(null);
  const page = usePageSettings();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const { number, revision, files } = shown;
    const show = async (parent: HTMLElement) => {
      await packages?.register(getTexts(files));
      if (signal.aborted) return;
      const previewHost = choosePagePreviewHost(page);
      const key = getVersionPreviewKey(project, number);
      const origin =
        previewHost.transport === 'isolated-origin' ? previewHost.origin(key) : previewHost.origin;
      const address = getWorkspacePath(project);
      await preview.show(
        parent,
        {
          key,
          title,
          previewHost,
          files,
          ...(loadAsset && { loadAsset }),
          ...(packages && { fullExportUrls: packages.builds.fullExportUrls }),
          served: number === null ? null : { revision },
          // Visitors may not see the same versions.
          ...(number !== null &&
            isMember(project) && {
              requestAccess: createPreviewAccess({ address, origin, key, first: null }),
            }),
        },
        signal,
      );
    };
    if (element.current) void show(element.current);
    return () => {
      controller.abort();
      preview.close();
    };
  }, [preview, project, packages, shown, loadAsset, title, page]);
  return (
    <div className={styles.preview}>
      <LimitationsNote preview={preview} />
      <div className={styles.stage}>
        <div ref={element} className={styles.frame} />
        <PreviewStatusCard preview={preview} />
      </div>
    </div>
  );
}

/** Label of the preview's host. The current version's files come from the page, like a draft's. */
function getVersionPreviewKey({ id, slug }: ProjectIdentity, number: number | null): string {
  return number === null ? `draft--${id.replaceAll('-', '')}now` : `v${number}--${slug}`;
}
