import CircleX from 'lucide-react/icons/circle-x';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import styles from './problems-view.module.css';
import { useSource } from './source.ts';
import { placeWords } from './source-link.tsx';
import type { Workspace } from './workspace.ts';

/** All that is wrong at this moment, each leading to its line. */
export function ProblemsView({ workspace }: { workspace: Workspace }) {
  const problems = useSource(workspace.result.problems);
  if (problems.length === 0) {
    return <p className={styles.empty}>No problems. What does not parse or stops shows up here.</p>;
  }
  return (
    <ul aria-label="Problems" className={styles.list}>
      {problems.map((problem, index) => (
        // A new list comes with each change, so a problem's place in it is its identity.
        <li key={index}>
          <button
            type="button"
            className={styles.problem}
            disabled={problem.path === ''}
            onClick={() => workspace.goTo(problem)}
          >
            {problem.kind === 'resource' ? (
              <TriangleAlert aria-label="Warning" className={styles.warning} />
            ) : (
              <CircleX aria-label="Error" className={styles.error} />
            )}
            <span className={styles.sentence}>{problem.sentence}</span>
            <span className={styles.place}>{placeWords(problem)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
