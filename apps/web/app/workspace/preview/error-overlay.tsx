import X from 'lucide-react/icons/x';
import { useEffect, useEffectEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { keepToastsAbove } from '../../ui/toast.tsx';
import { formatLocation } from '../problems/source-location.ts';
import { extractExcerpt, type ExcerptLine } from './excerpt.ts';
import type { ListedProblem } from '../problems/problems.ts';
import styles from './error-overlay.module.css';
import overlay from './preview-overlay.module.css';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

/** Error overlay on the preview: location, message, source and quick fixes. */
export function ErrorOverlay({ workspace }: { workspace: Workspace }) {
  const { overlay: shown } = workspace.problems;
  const problem = useStore(shown.current);
  const { status } = useStore(workspace.preview.state);
  const isRunning = status === 'starting' || status === 'running' || status === 'updating';
  const isShown = problem !== null && isRunning;
  useEscape(isShown, () => shown.dismiss());
  if (!isShown) return null;
  const lines = extractExcerpt(workspace.files().get(problem.path) ?? '', problem);
  return (
    <div ref={keepToastsAbove} role="alert" className={overlay.card}>
      <div className={styles.head}>
        <p className={styles.place}>{formatLocation(problem)}</p>
        <IconButton label="Dismiss" size="small" onClick={() => shown.dismiss()}>
          <X aria-hidden />
        </IconButton>
      </div>
      <p className={overlay.sentence}>{problem.sentence}</p>
      {lines.length > 0 && <Excerpt lines={lines} problem={problem} />}
      {problem.runsEarlierVersion && (
        <p className={overlay.action}>Showing the last version without a syntax error.</p>
      )}
      <Actions problem={problem} workspace={workspace} />
    </div>
  );
}

interface ExcerptProps {
  lines: readonly ExcerptLine[];
  problem: ListedProblem;
}

function Excerpt({ lines, problem }: ExcerptProps) {
  return (
    <pre className={styles.code}>
      {lines.map(({ number, before, highlight, after }) => (
        <code
          key={number}
          className={styles.line}
          data-current={number === problem.line || undefined}
          data-number={number}
        >
          {before}
          {highlight !== '' && <mark className={styles.mark}>{highlight}</mark>}
          {after}
          {'\n'}
        </code>
      ))}
    </pre>
  );
}

function Actions({ problem, workspace }: { problem: ListedProblem; workspace: Workspace }) {
  const count = useStore(workspace.problems.all).length;
  return (
    <div className={overlay.buttons}>
      {problem.quickFixes?.map(({ label, run }, index) => (
        <Button
          key={label}
          size="small"
          variant={index === 0 ? 'primary' : 'secondary'}
          onClick={run}
        >
          {label}
        </Button>
      ))}
      {problem.line > 0 && (
        <Button size="small" onClick={() => workspace.openFiles.goTo(problem)}>
          Go to line
        </Button>
      )}
      {count > 1 && (
        <Button size="small" variant="quiet" onClick={() => workspace.showBottomPanel('problems')}>
          All {count} problems
        </Button>
      )}
    </div>
  );
}

/** Dismisses on Escape unless something else (a menu, completion, Vim) handled the key. */
function useEscape(isActive: boolean, onEscape: () => void): void {
  const dismiss = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isActive) return;
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) dismiss();
    };
    window.addEventListener('keydown', handleKey);
    return () => window.removeEventListener('keydown', handleKey);
  }, [isActive]);
}
