import { errorCatalog } from '@vitrine/project';
import { createPagePath } from '@vitrine/sandbox/file-urls';
import type { ComponentProps } from 'react';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { PackageCard } from '../../packages/package-card.tsx';
import { Button } from '../../ui/button.tsx';
import { useHydrated } from '../../ui/hydrated.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { keepToastsAbove } from '../../ui/toast.tsx';
import { ErrorOverlay } from './error-overlay.tsx';
import type { PreviewController } from './preview-controller.ts';
import styles from './preview-overlay.module.css';
import { useStore } from '../value-store.ts';

interface PreviewOverlayProps extends ComponentProps<typeof ErrorOverlay> {
  packages: ProjectPackages;
  onCancelPackages: () => void;
}

/** Cards over the preview: unresponsive, stopped, package installation, errors. */
export function PreviewOverlay(props: PreviewOverlayProps) {
  return (
    <>
      <PreviewStatusCard preview={props.preview} />
      <Card {...props} />
    </>
  );
}

/**
 * The package card replaces the error card, since a missing package may be the cause of the error.
 */
function Card({ packages, onCancelPackages, ...overlay }: PreviewOverlayProps) {
  const { status } = useStore(packages.operation);
  const progress = useStore(packages.builds.progress);
  const isIdle = status === 'idle' && progress === null;
  const isShownInPanel = useStore(overlay.layout.current).panel === 'packages';
  if (isIdle) return <ErrorOverlay {...overlay} />;
  return isShownInPanel ? null : <PackageCard packages={packages} onCancel={onCancelPackages} />;
}

/** Card for a preview that is unresponsive, failed or stopped, and the skeleton of one that starts. */
export function PreviewStatusCard({ preview }: { preview: PreviewController }) {
  const state = useStore(preview.state);
  const isHeld = useStore(preview.wasNotStarted);
  switch (state.status) {
    case 'unresponsive':
      return <UnresponsiveCard onStop={() => preview.stop()} />;
    case 'failed':
      if (state.reason === 'entry-missing' && preview.listPages().length > 0)
        return <PageList preview={preview} />;
      return <StoppedCard message={state.message} onRun={() => preview.run()} />;
    case 'stopped':
      return isHeld ? (
        <StoppedCard message={crashMessage} label="Run" onRun={() => preview.run()} />
      ) : (
        <StoppedCard message="Stopped." onRun={() => preview.run()} />
      );
    case 'starting':
      return <PreviewSkeleton />;
    default:
      return null;
  }
}

/**
 * Behind a page that hasn't painted after 300 ms. Not in the server's HTML, where a prerendered page
 * may have painted long before its status is known.
 */
function PreviewSkeleton() {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return (
    <output className={styles.skeleton} aria-label="Loading the result">
      {['40%', '70%', '55%', '62%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </output>
  );
}

const crashMessage =
  'The last run of this project never finished, so it wasn’t started automatically.';

function UnresponsiveCard({ onStop }: { onStop: () => void }) {
  return (
    <div ref={keepToastsAbove} role="alert" className={styles.card}>
      <p className={styles.message}>{errorCatalog.sandbox_stalled.message}</p>
      <p className={styles.action}>{errorCatalog.sandbox_stalled.action}</p>
      <div className={styles.buttons}>
        <Button size="small" variant="danger" onClick={onStop}>
          Stop
        </Button>
      </div>
    </div>
  );
}

/** Pages of a project without one to open first. */
function PageList({ preview }: { preview: PreviewController }) {
  return (
    <nav className={styles.pages} aria-label="Pages">
      <p>No index.html at the top. Choose a page:</p>
      <ul>
        {preview.listPages().map((path) => (
          <li key={path}>
            <button type="button" onClick={() => preview.navigate(createPagePath(path))}>
              {path}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface StoppedCardProps {
  message: string;
  label?: string;
  onRun: () => void;
}

function StoppedCard({ message, label = 'Run again', onRun }: StoppedCardProps) {
  return (
    <div className={styles.cover}>
      <p role="alert" className={styles.message}>
        {message}
      </p>
      <Button size="small" onClick={onRun}>
        {label}
      </Button>
    </div>
  );
}
