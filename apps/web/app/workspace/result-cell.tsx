import { useEffect, useRef } from 'react';
import { DeviceStage } from './device-stage.tsx';
import { ResultBar } from './result-bar.tsx';
import styles from './result-cell.module.css';
import { ResultOverlay } from './result-overlay.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The running project under its own slim bar. */
export function ResultCell({ workspace }: { workspace: Workspace }) {
  const missing = useSource(workspace.result.missing);
  return (
    <section className={styles.cell} aria-label="Result and its controls">
      <ResultBar workspace={workspace} />
      {missing !== null && (
        <p className={styles.missing} title={missing}>
          {missing}
        </p>
      )}
      <div className={styles.stage}>
        <DeviceStage result={workspace.result}>
          <ResultFrame workspace={workspace} />
        </DeviceStage>
        <ResultOverlay workspace={workspace} />
      </div>
    </section>
  );
}

/** Where the project runs, from now until the workspace closes. */
export function ResultFrame({ workspace }: { workspace: Workspace }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current) void workspace.showResult(element.current);
  }, [workspace]);
  return <div ref={element} className={styles.frame} />;
}
