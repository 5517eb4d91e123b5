import type { RenderTab } from '../layout/badge.ts';
import { useStore } from '../value-store.ts';
import type { ProjectTests } from './project-tests.ts';
import { countTests, formatTestBadge, formatTestCounts } from './test-rows.ts';

interface TestBadgeProps {
  tests: ProjectTests;
  children: RenderTab;
}

/** Numbers of passed and failed tests. */
export function TestBadge({ tests, children }: TestBadgeProps) {
  const counts = countTests(useStore(tests.report));
  return children({
    count: formatTestBadge(counts),
    description: formatTestCounts(counts),
    ...(counts.failed === 0 && { tone: 'good' }),
  });
}
