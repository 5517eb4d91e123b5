import fuzzysort from 'fuzzysort';

/** The part of a command that search needs. */
export interface NamedCommand {
  readonly id: string;
  readonly name: string;
}

/** A command with the indexes of the matched characters in its name. */
export interface CommandMatch<Command extends NamedCommand> {
  readonly command: Command;
  readonly indexes: readonly number[];
}

/** Fuzzy-searches commands by name, best match first. An empty query returns all commands. */
export function searchCommands<Command extends NamedCommand>(
  commands: readonly Command[],
  { query, recent }: { query: string; recent: readonly string[] },
): readonly CommandMatch<Command>[] {
  if (query.trim() === '')
    return sortByUse(commands, recent).map((command) => ({ command, indexes: [] }));
  const boost = (id: string) => (recent.includes(id) ? 1.1 : 1);
  return fuzzysort
    .go(query.trim(), commands, {
      key: 'name',
      limit: 0,
      threshold: 0.2,
      scoreFn: ({ score, obj }) => score * boost(obj.id),
    })
    .map(({ obj, indexes }) => ({ command: obj, indexes: [...indexes] }));
}

/** Recently used commands first, latest on top, then the others in their table's order. */
function sortByUse<Command extends NamedCommand>(
  commands: readonly Command[],
  recent: readonly string[],
): Command[] {
  const used = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
  return [...used, ...commands.filter((command) => !used.includes(command))];
}
