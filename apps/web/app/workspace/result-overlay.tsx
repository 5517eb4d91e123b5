import { catalogue } from '@vitrine/project';
import { PackageCard } from '../packages/package-card.tsx';
import { Button } from '../ui/button.tsx';
import { ProblemCard } from './problem-card.tsx';
import type { Result } from './result.ts';
import styles from './result-overlay.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Cards over the preview: unresponsive, stopped, package installation, errors. */
export function ResultOverlay({ workspace }: { workspace: Workspace }) {
  return (
    <>
      <ResultNotice preview={workspace.result} />
      <Card workspace={workspace} />
    </>
  );
}

/**
 * The package card replaces the error card, since a missing package may be the cause of the error.
 */
function Card({ workspace }: { workspace: Workspace }) {
  const { packages } = workspace;
  const { status } = useSource(packages.work);
  const progress = useSource(packages.builds.progress);
  const isIdle = status === 'idle' && progress === null;
  const isShownInPanel = useSource(workspace.arrangement).panel === 'packages';
  if (isIdle) return <ProblemCard workspace={workspace} />;
  return isShownInPanel ? null : <PackageCard workspace={workspace} />;
}

/** Card for a preview that is unresponsive, failed or stopped. */
export function ResultNotice({ preview }: { preview: Result }) {
  const state = useSource(preview.state);
  const isHeld = useSource(preview.isHeld);
  switch (state.status) {
    case 'stalled':
      return <UnresponsiveCard onStop={() => preview.stop()} />;
    case 'failed':
      return <StoppedCard sentence={state.sentence} onRun={() => preview.run()} />;
    case 'stopped':
      return isHeld ? (
        <StoppedCard sentence={crashMessage} label="Run" onRun={() => preview.run()} />
      ) : (
        <StoppedCard sentence="Stopped." onRun={() => preview.run()} />
      );
    default:
      return null;
  }
}

const crashMessage =
  "The last run of this project never finished, so it wasn't started automatically.";

function UnresponsiveCard({ onStop }: { onStop: () => void }) {
  return (
    <div role="alert" className={styles.card}>
      <p className={styles.sentence}>{catalogue.sandbox_stalled.sentence}</p>
      <p className={styles.action}>{catalogue.sandbox_stalled.action}</p>
      <div className={styles.buttons}>
        <Button size="small" variant="danger" onClick={onStop}>
          End run
        </Button>
      </div>
    </div>
  );
}

interface StoppedCardProps {
  sentence: string;
  label?: string;
  onRun: () => void;
}

function StoppedCard({ sentence, label = 'Run again', onRun }: StoppedCardProps) {
  return (
    <div className={styles.cover}>
      <p role="alert" className={styles.sentence}>
        {sentence}
      </p>
      <Button size="small" onClick={onRun}>
        {label}
      </Button>
    </div>
  );
}
