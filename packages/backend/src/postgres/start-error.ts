import { StartupError } from '../startup-error.ts';

export type PostgresStartErrorReason =
  | 'already_running'
  | 'other_version'
  | 'not_a_cluster'
  | 'binary_missing'
  | 'disk_full'
  | 'not_enterable'
  | 'no_system_user'
  | 'start_failed';

/** PostgreSQL could not be started. */
export class PostgresStartError extends StartupError {
  readonly reason: PostgresStartErrorReason;

  constructor(problem: PostgresStartErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PostgresStartError';
    this.reason = problem;
  }
}

/**
 * When a page is only partially written, there is no system error: PostgreSQL then prints the sizes
 * and a hint.
 */
const diskFullPattern =
  /No space left on device|Disk quota exceeded|Check free disk space|wrote only \d+ of \d+ bytes/;

/** Creates the error for the output of a failed initdb or postgres. */
export function createStartError(output: string, dataDir: string): PostgresStartError {
  if (diskFullPattern.test(output)) {
    return new PostgresStartError(
      'disk_full',
      `PostgreSQL couldn’t write to ${dataDir}: the disk is full. Free up some space and start again.`,
    );
  }
  if (/lock file .* already exists/.test(output)) return createAlreadyRunningError(dataDir);
  if (/Permission denied|Operation not permitted/.test(output)) {
    return new PostgresStartError(
      'not_enterable',
      `PostgreSQL can’t access ${dataDir}: ${lastLine(output)}`,
    );
  }
  return new PostgresStartError(
    'start_failed',
    `PostgreSQL didn’t start with the data in ${dataDir}: ${lastLine(output)}`,
  );
}

export function createAlreadyRunningError(dataDir: string): PostgresStartError {
  return new PostgresStartError(
    'already_running',
    `Another instance of Vitrine is already using the data in ${dataDir}. Stop it, or set DATA_DIR to another folder.`,
  );
}

/** The last line that names a cause, without PostgreSQL's timestamp and process id. */
function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const relevant = lines.findLast((line) => /FATAL|PANIC|error|could not/i.test(line));
  return (relevant ?? lines.at(-1) ?? 'no output').replace(/^.*?(FATAL|PANIC|LOG): +/, '');
}
