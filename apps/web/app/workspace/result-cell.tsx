import { useEffect, useRef, useState } from 'react';
import { useHydrated } from '../ui/hydrated.ts';
import { placeAttribute } from './beginning.ts';
import { DeviceStage } from './device-stage.tsx';
import { MissingLine } from './missing-line.tsx';
import { ResultBar } from './result-bar.tsx';
import styles from './result-cell.module.css';
import { ResultOverlay } from './result-overlay.tsx';
import type { Workspace } from './workspace.ts';

/** Preview with its bar. */
export function ResultCell({ workspace }: { workspace: Workspace }) {
  return (
    <section className={styles.cell} aria-label="Preview">
      <ResultBar workspace={workspace} />
      <MissingLine preview={workspace.result} />
      <div className={styles.stage}>
        <DeviceStage preview={workspace.result}>
          <ResultFrame workspace={workspace} />
        </DeviceStage>
        <ResultOverlay workspace={workspace} />
      </div>
    </section>
  );
}

/** Element that hosts the preview until the workspace closes. */
export function ResultFrame({ workspace }: { workspace: Workspace }) {
  const element = useRef<HTMLDivElement>(null);
  const prerenderedProps = usePrerendered(workspace);
  useEffect(() => {
    if (element.current) void workspace.showResult(element.current);
  }, [workspace]);
  return <div ref={element} className={styles.frame} {...prerenderedProps} />;
}

/** Keeps React from removing the iframe that the server's page has started in this element. */
function usePrerendered({ options }: Workspace) {
  const [isServerRendered] = useState(!useHydrated());
  if (!isServerRendered || !options.prerenderPlan) return {};
  return {
    [placeAttribute]: '',
    suppressHydrationWarning: true,
    dangerouslySetInnerHTML: { __html: '' },
  };
}
