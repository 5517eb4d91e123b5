import { catalogue } from '@vitrine/project';
import type { PreviewState } from '@vitrine/sandbox/host';
import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { PackageCard } from '../packages/package-card.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { severityOf, type ListedProblem } from './problems.ts';
import type { Result } from './result.ts';
import styles from './result-overlay.module.css';
import { placeWords } from './code-place.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** What the result has to say over what it shows: where it hangs, has ended, or has gone wrong. */
export function ResultOverlay({ workspace }: { workspace: Workspace }) {
  return (
    <>
      <ResultNotice result={workspace.result} />
      <Card workspace={workspace} />
    </>
  );
}

/** What is done about packages takes the place of the problem that it may be the answer to. */
function Card({ workspace }: { workspace: Workspace }) {
  const { packages } = workspace;
  const { status } = useSource(packages.work);
  const progress = useSource(packages.builds.progress);
  const isIdle = status === 'idle' && progress === null;
  const isTold = useSource(workspace.arrangement).panel === 'packages';
  if (isIdle) return <ProblemCard workspace={workspace} />;
  return isTold ? null : <PackageCard packages={packages} />;
}

/** Where the run itself is in trouble: the sentence, and the way on. */
export function ResultNotice({ result }: { result: Result }) {
  const state = useSource(result.state);
  const isHeld = useSource(result.isHeld);
  switch (state.status) {
    case 'stalled':
      return <Stalled onEnd={() => result.stop()} />;
    case 'failed':
      return <Ended sentence={state.sentence} onRun={() => result.run()} />;
    case 'stopped':
      return isHeld ? (
        <Ended sentence={heldSentence} label="Run" onRun={() => result.run()} />
      ) : (
        <Ended sentence="Stopped." onRun={() => result.run()} />
      );
    default:
      return null;
  }
}

const heldSentence = 'The last run of this project never ended, so it has not been started.';

function Stalled({ onEnd }: { onEnd: () => void }) {
  return (
    <div role="alert" className={styles.card}>
      <p className={styles.sentence}>{catalogue.sandbox_stalled.sentence}</p>
      <p className={styles.action}>{catalogue.sandbox_stalled.action}</p>
      <div className={styles.buttons}>
        <Button size="small" variant="danger" onClick={onEnd}>
          End the run
        </Button>
      </div>
    </div>
  );
}

interface EndedProps {
  sentence: string;
  label?: string;
  onRun: () => void;
}

function Ended({ sentence, label = 'Run again', onRun }: EndedProps) {
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

/** The first thing that is wrong, until it is mended or put aside. */
function ProblemCard({ workspace }: { workspace: Workspace }) {
  const problems = useSource(workspace.problems);
  const { status } = useSource(workspace.result.state);
  const [aside, setAside] = useState<ListedProblem>();
  const problem = problems.find((each) => severityOf(each) === 'error');
  if (!problem || isSame(problem, aside) || !isRunning(status)) return null;
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
        {problem.remedy && (
          <Button size="small" variant="primary" onClick={problem.remedy.run}>
            {problem.remedy.label}
          </Button>
        )}
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

function isSame(a: ListedProblem, b: ListedProblem | undefined): boolean {
  return a.sentence === b?.sentence && a.path === b.path && a.line === b.line;
}

function isRunning(status: PreviewState['status']): boolean {
  return status === 'starting' || status === 'running' || status === 'updating';
}
