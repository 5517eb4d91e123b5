/** A command can't do what it was asked to. Shown in the terminal without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 if the command failed, 2 if it was called wrongly. */
  constructor(
    message: string,
    { exitCode = 1, ...options }: ErrorOptions & { exitCode?: number } = {},
  ) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** 1, 'row' → "1 row"; 2, 'row' → "2 rows" */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
