import type { ObjectQueryResponse } from '@vitrine/sandbox/host';
import type { TestFailureReport } from '@vitrine/sandbox/tests';
import Play from 'lucide-react/icons/play';
import { Button } from '../../ui/button.tsx';
import { ConsoleContext } from '../console/console-context.ts';
import { handleConsoleTreeKey } from '../console/console-keys.ts';
import { ConsoleEntries } from '../console/console-entries.tsx';
import { SourceLink, type OpenLocation } from '../problems/source-link.tsx';
import { testStateLabels, type TestRow } from './test-rows.ts';
import { TestStateIcon } from './test-state-icon.tsx';
import styles from './tests-view.module.css';

interface TestDetailsProps {
  row: TestRow;
  onGoTo: OpenLocation;
  onRun: () => void;
}

const runLabels = { file: 'Run this file', suite: 'Run this suite', test: 'Run this test' };

/** Details of a test, suite or file: failures, their locations and console output. */
export function TestDetails({ row, onGoTo, onRun }: TestDetailsProps) {
  return (
    <section aria-label="Test" className={styles.details}>
      <header className={styles.head}>
        <TestStateIcon state={row.state} />
        <h2 className={styles.title}>{row.fullName || row.name}</h2>
        <SourceLink location={row.location} onGoTo={onGoTo} />
        <Button size="small" variant="quiet" icon={<Play aria-hidden />} onClick={onRun}>
          {runLabels[row.what]}
        </Button>
      </header>
      {row.failures.length === 0 && row.log.length === 0 && (
        <p className={styles.quiet}>{testStateLabels[row.state]}.</p>
      )}
      {row.failures.map((failure, index) => (
        // A run replaces all failures at once, so the index is a sufficient key.
        <FailureView key={index} failure={failure} onGoTo={onGoTo} />
      ))}
      {row.log.length > 0 && <TestLog row={row} onGoTo={onGoTo} />}
    </section>
  );
}

function FailureView({ failure, onGoTo }: { failure: TestFailureReport; onGoTo: OpenLocation }) {
  const { message, diff, stack } = failure;
  return (
    <div className={styles.failure}>
      <p className={styles.message}>{message}</p>
      {diff !== '' && <Diff text={diff} />}
      {stack.length > 0 && (
        <ul aria-label="Stack trace" className={styles.stack}>
          {stack.map((location, index) => (
            <li key={index}>
              <SourceLink location={location} onGoTo={onGoTo} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/**
 * Short values are formatted as "Expected: …" and "Received: …", longer ones as a diff with signs.
 */
function findTone(line: string): 'expected' | 'received' | undefined {
  if (/^(?:-|Expected: )/.test(line)) return 'expected';
  return /^(?:\+|Received: )/.test(line) ? 'received' : undefined;
}

/** Diff with signs per line, repeated by color. */
function Diff({ text }: { text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable, so the keyboard must reach it
    <pre aria-label="Diff" tabIndex={0} className={styles.diff}>
      {text.split('\n').map((line, index) => (
        <span key={index} data-tone={findTone(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function TestLog({ row, onGoTo }: { row: TestRow; onGoTo: OpenLocation }) {
  const lines = row.log.map((entry, index) => ({ ...entry, id: index, count: 1, document: 0 }));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles keys of the tree in it
    <div
      role="log"
      aria-label="Test console"
      className={styles.log}
      onKeyDown={handleConsoleTreeKey}
    >
      <ConsoleContext value={{ goTo: onGoTo, query: rejectQuery }}>
        <ConsoleEntries lines={lines} />
      </ConsoleContext>
    </div>
  );
}

/** Rejects queries: the test's page is gone, so logged objects can't be expanded any further. */
async function rejectQuery(): Promise<ObjectQueryResponse> {
  return { kind: 'gone' };
}
