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
  const { preview, session, layout, openFiles, packages, code } = workspace;
  return (
    <section className={styles.cell} aria-label="Result">
      <PreviewBar {...{ preview, session, layout }} />
      <LimitationsNote preview={preview} />
      <div className={styles.stage}>
        <DeviceFrame preview={preview}>
          <PreviewFrame mount={workspace.mountPreview} isPrerendered={workspace.isPrerendered} />
        </DeviceFrame>
        <PreviewOverlay
          {...{ preview, session, layout, openFiles, packages }}
          problems={code.problems}
          onCancelPackages={workspace.cancelPackages}
        />
      </div>
    </section>
  );
}

interface PreviewFrameProps {
  /** Runs the preview in an element. */
  mount: (element: HTMLElement) => Promise<void>;
  /** Whether the server's page contains a prerendered preview. */
  isPrerendered: boolean;
}

/** Element that hosts the preview until the workspace closes. */
export function PreviewFrame({ mount, isPrerendered }: PreviewFrameProps) {
  const element = useRef<HTMLDivElement>(null);
  const prerenderedProps = usePrerendered(isPrerendered);
  useEffect(() => {
    if (element.current) void mount(element.current);
  }, [mount]);
  return <div ref={element} className={styles.frame} {...prerenderedProps} />;
}

/** Keeps React from removing the iframe that the server's page has started in this element. */
function usePrerendered(isPrerendered: boolean) {
  const [isServerRendered] = useState(!useHydrated());
  if (!isServerRendered || !isPrerendered) return {};
  return {
    [previewHostAttribute]: '',
    suppressHydrationWarning: true,
    dangerouslySetInnerHTML: { __html: '' },
  };
}
