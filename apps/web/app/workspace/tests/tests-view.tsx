import ListX from 'lucide-react/icons/list-x';
import Play from 'lucide-react/icons/play';
import { isTestPath } from '@vitrine/project';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { ProjectTree } from '../tree/project-tree.ts';
import { createExampleTest } from './example-test.ts';
import type { ProjectTests } from './project-tests.ts';
import { useStore } from '../value-store.ts';
import { TestDetails } from './test-details.tsx';
import {
  countSnapshots,
  countTests,
  formatTestCounts,
  listTestRows,
  type TestRow,
} from './test-rows.ts';
import { TestsTree } from './tests-tree.tsx';
import styles from './tests-view.module.css';

interface TestsViewProps {
  tests: ProjectTests;
  tree: ProjectTree;
  openFiles: OpenFiles;
}

/** Tests tab. Tests run while it is visible. */
export default function TestsView({ tests, tree, openFiles }: TestsViewProps) {
  const paths = useStore(tree.paths);
  const report = useStore(tests.report);
  const hasTests = report.files.length > 0 || paths.some(isTestPath);
  return (
    <div className={styles.view}>
      <TestFrames tests={tests} />
      <div className={styles.shown}>
        {hasTests ? (
          <Results tests={tests} openFiles={openFiles} />
        ) : (
          <NoTests {...{ tests, tree }} />
        )}
      </div>
    </div>
  );
}

/**
 * Hosts the iframes of test files behind the results. They have to be in view: browsers don't
 * render offscreen iframes, and tests may measure layout.
 */
function TestFrames({ tests }: { tests: ProjectTests }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current ? tests.mount(element.current) : undefined), [tests]);
  return <div ref={element} inert className={styles.frames} />;
}

function Results({ tests, openFiles }: Omit<TestsViewProps, 'tree'>) {
  const report = useStore(tests.report);
  const failedOnly = useStore(tests.failedOnly);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<string>();
  const rows = listTestRows(report, { collapsed, failedOnly });
  const row = rows.find(({ path }) => path === selected) ?? findInitialRow(rows);

  function toggle(path: string): void {
    const next = new Set(collapsed);
    if (!next.delete(path)) next.add(path);
    setCollapsed(next);
  }

  return (
    <>
      <output aria-label="Test status" className={styles.status}>
        {report.isRunning ? 'Running tests…' : formatTestCounts(countTests(report))}
      </output>
      <SnapshotNote tests={tests} />
      <div className={styles.results}>
        {rows.length > 0 ? (
          <TestsTree
            rows={rows}
            selected={row?.path}
            onSelect={setSelected}
            onToggle={toggle}
            onGoTo={({ location }) => openFiles.goTo(location)}
          />
        ) : (
          <p className={styles.quiet}>No failed tests</p>
        )}
        {row && (
          <TestDetails
            row={row}
            onGoTo={openFiles.goTo}
            onRun={() => tests.run({ path: row.file, only: toTestFilter(row) })}
          />
        )}
      </div>
    </>
  );
}

/** Offers to update new or changed snapshots. */
function SnapshotNote({ tests }: { tests: ProjectTests }) {
  const report = useStore(tests.report);
  const count = countSnapshots(report);
  if (count === 0 || report.isRunning) return null;
  return (
    <div className={styles.note}>
      <p>
        {count === 1 ? '1 snapshot is new or changed.' : `${count} snapshots are new or changed.`}
      </p>
      <Button size="small" onClick={() => void tests.updateSnapshots()}>
        Update snapshots
      </Button>
    </div>
  );
}

/** Initial selection: the first failure, otherwise the first file. */
function findInitialRow(rows: readonly TestRow[]): TestRow | undefined {
  return rows.find(({ failures }) => failures.length > 0) ?? rows[0];
}

function toTestFilter({ what, fullName }: TestRow) {
  return what === 'file' ? null : { name: fullName, isSuite: what === 'suite' };
}

function NoTests({ tests, tree }: Omit<TestsViewProps, 'openFiles'>) {
  function addTest(): void {
    const { path, content } = createExampleTest(tree.paths.get());
    tree.createFile(path, content);
    tests.run();
  }

  return (
    <div className={styles.empty}>
      <p>No tests yet. Files like sum.test.js or sum.spec.ts run here after every change.</p>
      <Button size="small" onClick={addTest}>
        Add test
      </Button>
    </div>
  );
}

/** Actions in the bottom panel's tab bar while the Tests tab is selected. */
export function TestsActions({ tests, tree }: Omit<TestsViewProps, 'openFiles'>) {
  const paths = useStore(tree.paths);
  const failedOnly = useStore(tests.failedOnly);
  if (!paths.some(isTestPath)) return null;
  return (
    <>
      <IconButton
        label="Show failed only"
        size="small"
        pressed={failedOnly}
        onClick={() => tests.failedOnly.set(!failedOnly)}
      >
        <ListX aria-hidden />
      </IconButton>
      <IconButton label="Run all tests" size="small" onClick={() => tests.run()}>
        <Play aria-hidden />
      </IconButton>
    </>
  );
}
