/** Entry of `vitrine`: parses the arguments, then runs a command or prints help. */
import { parseArgs } from 'node:util';
import { commands, variables, type Command } from './commands.ts';
import { CommandError, printError, printLine } from './terminal.ts';

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommandError) {
    printError(error.message);
    process.exitCode = error.exitCode;
  } else {
    // Loaded here because it takes longer than the help itself.
    const { StartupError } = await import('@vitrine/backend');
    if (!(error instanceof StartupError)) throw error;
    printError(error.message);
    process.exitCode = 1;
  }
}

async function run(args: string[]): Promise<void> {
  const { values, positionals, tokens } = parseArgs({
    args,
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    // Errors of the strict mode are several sentences.
    strict: false,
    tokens: true,
  });
  const [name, ...rest] = positionals;
  const found = Object.entries(commands).find(([key]) => key === name);
  const usage = found ? formatUsage(...found) : formatOverview();
  if (name !== undefined && !found) throw createUsageError(`Unknown command: ${name}.`, usage);
  for (const token of tokens) {
    if (token.kind === 'option' && token.name !== 'help')
      throw createUsageError(`Unknown option: ${token.rawName}.`, usage);
  }
  if (values['help']) return printLine(found ? formatHelp(usage, found[1]) : usage);
  if (!found) throw createUsageError('The command is missing.', usage);
  const [, command] = found;
  const action = findAction(command, rest);
  if (!action) {
    const problem =
      rest.length === 0 ? 'The arguments are missing.' : `Wrong arguments: ${rest.join(' ')}.`;
    throw createUsageError(problem, usage);
  }
  await action();
}

/** Finds what to run for the arguments: the form `export FOLDER` matches ['export', 'there']. */
function findAction({ forms }: Command, args: string[]): (() => Promise<void>) | undefined {
  for (const [form, runForm] of Object.entries(forms)) {
    const words = form.split(' ').filter(Boolean);
    const matches = (word: string, index: number) =>
      word === word.toUpperCase() || word === args[index];
    if (words.length === args.length && words.every(matches))
      return () => runForm(args.at(-1) ?? '');
  }
  return undefined;
}

function createUsageError(problem: string, usage: string): CommandError {
  return new CommandError(`${problem}\n\n${usage}`, { exitCode: 2 });
}

function formatUsage(name: string, { forms }: Command): string {
  const lines = Object.keys(forms).map((form) => `vitrine ${name} ${form}`.trimEnd());
  return `Usage: ${lines.join('\n       ')}`;
}

function formatOverview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  return [
    'Usage: vitrine COMMAND [ARGUMENTS]',
    formatRows('Commands', rows),
    'Run vitrine COMMAND --help for details.',
  ].join('\n\n');
}

function formatHelp(usage: string, { description, variables: names, example }: Command): string {
  return [
    usage,
    wrap(description),
    formatRows('Options', [['-h, --help', 'Show this help']]),
    formatRows(
      'Environment variables',
      names.map((name) => [name, variables[name]]),
    ),
    `Example:\n  ${example}`,
  ].join('\n\n');
}

function formatRows(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`);
  return [`${title}:`, ...lines].join('\n');
}

/** Breaks lines after at most 80 characters. */
function wrap(text: string): string {
  return text.replace(/(.{1,80})(?: |$)/g, '$1\n').trimEnd();
}
