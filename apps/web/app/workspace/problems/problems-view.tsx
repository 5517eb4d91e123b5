import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { Button } from '../../ui/button.tsx';
import { createBadge, type RenderTab } from '../layout/badge.ts';
import { severityOf, type ListedProblem } from './problems.ts';
import styles from './problems-view.module.css';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { ProjectProblems } from './project-problems.ts';
import { useStore } from '../value-store.ts';
import { formatLocation } from './source-location.ts';

interface ProblemBadgeProps {
  problems: ProjectProblems;
  children: RenderTab;
}

/** Number of problems, in another color if none is an error. */
export function ProblemBadge({ problems, children }: ProblemBadgeProps) {
  const all = useStore(problems.all);
  const badge = createBadge(all.length, 'problem');
  const hasErrors = all.some((each) => severityOf(each) === 'error');
  return children(hasErrors ? badge : { ...badge, tone: 'warning' });
}

interface ProblemsViewProps {
  problems: ProjectProblems;
  openFiles: OpenFiles;
}

/** Problems tab. Each problem links to its line. */
export function ProblemsView({ problems, openFiles }: ProblemsViewProps) {
  const all = useStore(problems.all);
  if (all.length === 0) {
    return <p className={styles.empty}>No problems found</p>;
  }
  return (
    <ul aria-label="Problems" className={styles.list}>
      {all.map((problem, index) => (
        // The list is replaced on each change, so the index is a sufficient key.
        <li key={index} className={styles.row}>
          <button
            type="button"
            className={styles.problem}
            disabled={problem.path === ''}
            onClick={() => openFiles.goTo(problem)}
          >
            <SeverityIcon problem={problem} />
            <span className={styles.message}>{problem.message}</span>
            {problem.rule !== undefined && <span className={styles.rule}>{problem.rule}</span>}
            <span className={styles.location}>{formatLocation(problem)}</span>
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
