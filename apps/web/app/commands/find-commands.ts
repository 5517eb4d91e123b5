import fuzzysort from 'fuzzysort';
import type { ListedCommand } from './all-commands.ts';

/** A command, and which of its name’s letters were looked for. */
export interface FoundCommand {
  readonly command: ListedCommand;
  readonly indexes: readonly number[];
}

/** Commands whose names have these letters in this order, the best first; all where none are given. */
export function findCommands(
  commands: readonly ListedCommand[],
  { words, recent }: { words: string; recent: readonly string[] },
): readonly FoundCommand[] {
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
function byUse(commands: readonly ListedCommand[], recent: readonly string[]): ListedCommand[] {
  const used = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
  return [...used, ...commands.filter((command) => !used.includes(command))];
}
