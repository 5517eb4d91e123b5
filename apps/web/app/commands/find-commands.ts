import fuzzysort from 'fuzzysort';

/** As much of a command as looking for it needs. */
export interface NamedCommand {
  readonly id: string;
  readonly name: string;
}

/** A command, and which of its name’s letters were looked for. */
export interface FoundCommand<Command extends NamedCommand> {
  readonly command: Command;
  readonly indexes: readonly number[];
}

/** Commands whose names have these letters in this order, the best first; all where none are given. */
export function findCommands<Command extends NamedCommand>(
  commands: readonly Command[],
  { words, recent }: { words: string; recent: readonly string[] },
): readonly FoundCommand<Command>[] {
  if (words.trim() === '')
    return byUse(commands, recent).map((command) => ({ command, indexes: [] }));
  const used = (id: string) => (recent.includes(id) ? 1.1 : 1);
  return fuzzysort
    .go(words.trim(), commands, {
      key: 'name',
      limit: 0,
      threshold: 0.2,
      scoreFn: ({ score, obj }) => score * used(obj.id),
    })
    .map(({ obj, indexes }) => ({ command: obj, indexes: [...indexes] }));
}

/** What was used stands first, the latest on top; the rest as the tables have it. */
function byUse<Command extends NamedCommand>(
  commands: readonly Command[],
  recent: readonly string[],
): Command[] {
  const used = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
  return [...used, ...commands.filter((command) => !used.includes(command))];
}
