import type { TestState } from '@vitrine/sandbox/tests';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleDot from 'lucide-react/icons/circle-dot';
import CircleSlash from 'lucide-react/icons/circle-slash';
import CircleX from 'lucide-react/icons/circle-x';
import { testStateLabels } from './test-rows.ts';
import styles from './tests-view.module.css';

const icons = {
  waiting: CircleDashed,
  running: CircleDot,
  passed: CircleCheck,
  failed: CircleX,
  skipped: CircleSlash,
  todo: CircleDashed,
};

/** Icon of a test state. Each state has its own shape and name. */
export function TestStateIcon({ state }: { state: TestState }) {
  const Icon = icons[state];
  return <Icon aria-label={testStateLabels[state]} className={styles.state} data-state={state} />;
}
