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
import type { LayoutController } from '../layout/layout-controller.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { ProjectProblems } from '../problems/project-problems.ts';
import type { WorkspaceSession } from '../session.ts';
import type { PreviewController } from './preview-controller.ts';
import { useStore } from '../value-store.ts';

interface ErrorOverlayProps extends Omit<ActionsProps, 'problem'> {
  session: WorkspaceSession;
  preview: PreviewController;
}

/** Error overlay on the preview: location, message, source and quick fixes. */
export function ErrorOverlay({ session, preview, ...actions }: ErrorOverlayProps) {
  const { overlay: shown } = actions.problems;
  const problem = useStore(shown.current);
  const { status } = useStore(preview.state);
  const isRunning = status === 'starting' || status === 'running' || status === 'updating';
  const isShown = problem !== null && isRunning;
  useEscape(isShown, () => shown.dismiss());
  if (!isShown) return null;
  const lines = extractExcerpt(session.files().get(problem.path) ?? '', problem);
  return (
    <div ref={keepToastsAbove} role="alert" className={overlay.card}>
      <div className={styles.head}>
        <p className={styles.location}>{formatLocation(problem)}</p>
        <IconButton label="Dismiss" size="small" onClick={() => shown.dismiss()}>
          <X aria-hidden />
        </IconButton>
      </div>
      <p className={overlay.message}>{problem.message}</p>
      {lines.length > 0 && <Excerpt lines={lines} problem={problem} />}
      {problem.runsEarlierVersion && (
        <p className={overlay.action}>Showing the last version without a syntax error.</p>
      )}
      <Actions {...actions} problem={problem} />
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

interface ActionsProps {
  problem: ListedProblem;
  problems: ProjectProblems;
  openFiles: OpenFiles;
  layout: LayoutController;
}

function Actions({ problem, problems, openFiles, layout }: ActionsProps) {
  const count = useStore(problems.all).length;
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
        <Button size="small" onClick={() => openFiles.goTo(problem)}>
          Go to line
        </Button>
      )}
      {count > 1 && (
        <Button size="small" variant="quiet" onClick={() => layout.showBottomPanel('problems')}>
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
