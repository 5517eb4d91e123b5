import { catalogue } from '@vitrine/project';
import type { Problem } from '@vitrine/sandbox/host';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import styles from './result-overlay.module.css';
import { placeWords } from './source-link.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** What the result has to say over what it shows: where it hangs, has ended, or has gone wrong. */
export function ResultOverlay({ workspace }: { workspace: Workspace }) {
  const state = useSource(workspace.result.state);
  const { result } = workspace;
  switch (state.status) {
    case 'stalled':
      return (
        <div role="alert" className={styles.card}>
          <p className={styles.sentence}>{catalogue.sandbox_stalled.sentence}</p>
          <p className={styles.action}>{catalogue.sandbox_stalled.action}</p>
          <div className={styles.buttons}>
            <Button size="small" variant="danger" onClick={() => result.stop()}>
              End the run
            </Button>
          </div>
        </div>
      );
    case 'failed':
      return <Ended sentence={state.sentence} onRun={() => result.run()} />;
    case 'stopped':
      return <Ended sentence="Stopped." onRun={() => result.run()} />;
    default:
      return <ProblemCard workspace={workspace} />;
  }
}

function Ended({ sentence, onRun }: { sentence: string; onRun: () => void }) {
  return (
    <div className={styles.cover}>
      <p role="alert" className={styles.sentence}>
        {sentence}
      </p>
      <Button size="small" onClick={onRun}>
        Run again
      </Button>
    </div>
  );
}

/** The first thing that is wrong, until it is mended or put aside. */
function ProblemCard({ workspace }: { workspace: Workspace }) {
  const problems = useSource(workspace.result.problems);
  const [aside, setAside] = useState<Problem>();
  const problem = problems.find(({ kind }) => kind !== 'resource');
  if (!problem || isSame(problem, aside)) return null;
  const isSyntax = problem.kind === 'syntax';
  return (
    <div role="alert" className={styles.card}>
      <div className={styles.head}>
        <p className={styles.place}>{placeWords(problem)}</p>
        <IconButton label="Put aside" size="small" onClick={() => setAside(problem)}>
          <X aria-hidden />
        </IconButton>
      </div>
      <p className={styles.sentence}>{problem.sentence}</p>
      {isSyntax && <p className={styles.action}>What worked last stays until this does.</p>}
      <div className={styles.buttons}>
        {problem.line > 0 && (
          <Button size="small" onClick={() => workspace.goTo(problem)}>
            Go to line
          </Button>
        )}
        {problems.length > 1 && (
          <Button size="small" variant="quiet" onClick={() => workspace.showDock('problems')}>
            All {problems.length} problems
          </Button>
        )}
      </div>
    </div>
  );
}

function isSame(a: Problem, b: Problem | undefined): boolean {
  return a.sentence === b?.sentence && a.path === b.path && a.line === b.line;
}
