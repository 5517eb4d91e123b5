import { useEffect, useRef, useState } from 'react';
import { useHydrated } from '../../ui/hydrated.ts';
import { previewHostAttribute } from '../bootstrap/prerendered-preview.ts';
import { DeviceFrame } from './device-frame.tsx';
import { LimitationsNote } from './limitations-note.tsx';
import { PreviewBar } from './preview-bar.tsx';
import styles from './preview-cell.module.css';
import { PreviewOverlay } from './preview-overlay.tsx';
import type { Workspace } from '../workspace.ts';

/** Preview with its bar. */
export function PreviewCell({ workspace }: { workspace: Workspace }) {
  return (
    <section className={styles.cell} aria-label="Result">
      <PreviewBar workspace={workspace} />
      <LimitationsNote preview={workspace.preview} />
      <div className={styles.stage}>
        <DeviceFrame preview={workspace.preview}>
          <PreviewFrame workspace={workspace} />
        </DeviceFrame>
        <PreviewOverlay workspace={workspace} />
      </div>
    </section>
  );
}

/** Element that hosts the preview until the workspace closes. */
export function PreviewFrame({ workspace }: { workspace: Workspace }) {
  const element = useRef<HTMLDivElement>(null);
  const prerenderedProps = usePrerendered(workspace);
  useEffect(() => {
    if (element.current) void workspace.mountPreview(element.current);
  }, [workspace]);
  return <div ref={element} className={styles.frame} {...prerenderedProps} />;
}

/** Keeps React from removing the iframe that the server's page has started in this element. */
function usePrerendered({ options }: Workspace) {
  const [isServerRendered] = useState(!useHydrated());
  if (!isServerRendered || !options.prerenderPlan) return {};
  return {
    [previewHostAttribute]: '',
    suppressHydrationWarning: true,
    dangerouslySetInnerHTML: { __html: '' },
  };
}
