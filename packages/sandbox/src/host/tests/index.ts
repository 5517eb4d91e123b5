export {
  mountTestRunner,
  type TestRunner,
  type TestRunnerOptions,
  type TestSelection,
} from './mount-tests.ts';
export {
  flattenTests,
  type TestFailureReport,
  type TestFile,
  type TestReport,
  type TestState,
  type TestTask,
} from './report.ts';
export type { SnapshotFile } from './snapshot-files.ts';
