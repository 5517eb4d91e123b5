export {
  getSandboxCommand,
  ChildProgram,
  type ProgramExit,
  type ProgramOptions,
} from './child-program.ts';
export {
  ProcessPool,
  ProgramError,
  type ProgramErrorCode,
  type RunOptions,
} from './process-pool.ts';
