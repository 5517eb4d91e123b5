export { mountTests, type Tests, type TestsOptions, type Wanted } from './mount-tests.ts';
export {
  testsOf,
  type Failure,
  type TestFile,
  type TestReport,
  type TestState,
  type TestTask,
} from './report.ts';
export type { WrittenFile } from './written-files.ts';
