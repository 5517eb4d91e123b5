import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { Button } from '../../ui/button.tsx';
import { createBadge, type BadgeProps } from '../layout/badge.ts';
import { severityOf, type ListedProblem } from './problems.ts';
import styles from './problems-view.module.css';
import { useStore } from '../value-store.ts';
import { formatLocation } from './source-location.ts';
import type { Workspace } from '../workspace.ts';

/** Number of problems, in another color if none is an error. */
export function ProblemBadge({ workspace, children }: BadgeProps) {
  const problems = useStore(workspace.problems.all);
  const badge = createBadge(problems.length, 'problem');
  const hasErrors = problems.some((each) => severityOf(each) === 'error');
  return children(hasErrors ? badge : { ...badge, tone: 'warning' });
}

/** Problems tab. Each problem links to its line. */
export function ProblemsView({ workspace }: { workspace: Workspace }) {
  const problems = useStore(workspace.problems.all);
  if (problems.length === 0) {
    return <p className={styles.empty}>No problems found</p>;
  }
  return (
    <ul aria-label="Problems" className={styles.list}>
      {problems.map((problem, index) => (
        // The list is replaced on each change, so the index is a sufficient key.
        <li key={index} className={styles.row}>
          <button
            type="button"
            className={styles.problem}
            disabled={problem.path === ''}
            onClick={() => workspace.openFiles.goTo(problem)}
          >
            <SeverityIcon problem={problem} />
            <span className={styles.sentence}>{problem.sentence}</span>
            {problem.rule !== undefined && <span className={styles.rule}>{problem.rule}</span>}
            <span className={styles.place}>{formatLocation(problem)}</span>
          </button>
          {problem.quickFixes?.slice(0, 1).map(({ label, run }) => (
            <Button key={label} size="small" onClick={run}>
              {label}
            </Button>
          ))}
        </li>
      ))}
    </ul>
  );
}

function SeverityIcon({ problem }: { problem: ListedProblem }) {
  switch (severityOf(problem)) {
    case 'info':
      return <Info aria-label="Info" className={styles.notice} />;
    case 'warning':
      return <TriangleAlert aria-label="Warning" className={styles.warning} />;
    case 'error':
      return <CircleX aria-label="Error" className={styles.error} />;
  }
}
