import { Autocomplete } from '@base-ui/react/autocomplete';
import { formatKeys } from '@vitrine/editor/key-names';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { onEarlyEnter } from '../ui/early-enter.ts';
import { searchCommands, type CommandMatch, type NamedCommand } from './search-commands.ts';
import styles from './palette.module.css';

interface PaletteProps<Command extends NamedCommand> {
  isOpen: boolean;
  onClose: () => void;
  commands: readonly Command[];
  /** Keys by command id, as displayed. */
  keys?: ReadonlyMap<string, readonly string[]>;
  /** Runs the selected command, after the focus has returned to where it was. */
  onChoose: (command: Command) => void;
}

/** Dialog that fuzzy-searches commands by name, recently used ones first. */
export function Palette<Command extends NamedCommand>(props: PaletteProps<Command>) {
  const { isOpen, onClose, onChoose } = props;
  function choose(command: Command): void {
    addRecentCommand(command.id);
    onClose();
    requestAnimationFrame(() => onChoose(command));
  }
  return (
    <Dialog open={isOpen} onClose={onClose} title="Commands" bare>
      <CommandSearch {...props} onChoose={choose} />
    </Dialog>
  );
}

function CommandSearch<Command extends NamedCommand>({
  commands,
  keys,
  onChoose,
}: PaletteProps<Command>) {
  const [query, setQuery] = useState('');
  const [recent] = useState(readRecentCommands);
  const matches = searchCommands(commands, { query, recent });
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      autoHighlight="always"
      items={matches}
      itemToStringValue={({ command }: CommandMatch<Command>) => command.name}
      value={query}
      onValueChange={(value, { reason }) => reason === 'input-change' && setQuery(value)}
    >
      <Autocomplete.Input
        aria-label="Command"
        placeholder="Search commands"
        spellCheck={false}
        className={styles.field}
        onKeyDown={onEarlyEnter(matches[0], ({ command }) => onChoose(command))}
      />
      <Autocomplete.Empty className={styles.empty}>No matching commands</Autocomplete.Empty>
      <Autocomplete.List aria-label="Commands" className={styles.list}>
        {(each: CommandMatch<Command>) => (
          <Option
            key={each.command.id}
            found={each}
            keys={keys?.get(each.command.id) ?? []}
            onChoose={() => onChoose(each.command)}
          />
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

interface OptionProps {
  found: CommandMatch<NamedCommand>;
  keys: readonly string[];
  onChoose: () => void;
}

function Option({ found, keys, onChoose }: OptionProps) {
  return (
    <Autocomplete.Item value={found} className={styles.option} onClick={onChoose}>
      <span className={styles.name}>
        {[...found.command.name].map((character, index) =>
          found.indexes.includes(index) ? <b key={index}>{character}</b> : character,
        )}
      </span>
      {keys.map((key) => (
        <kbd key={key} className={styles.keys}>
          {formatKeys(key)}
        </kbd>
      ))}
    </Autocomplete.Item>
  );
}

const recentStorageKey = 'recent-commands';
const maxRecentCommands = 20;

/** Ids of the commands last run from the palette on this device, latest first. */
function readRecentCommands(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(recentStorageKey) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function addRecentCommand(id: string): void {
  const ids = [id, ...readRecentCommands().filter((other) => other !== id)].slice(
    0,
    maxRecentCommands,
  );
  try {
    localStorage.setItem(recentStorageKey, JSON.stringify(ids));
  } catch {
    // Without storage the order doesn't change.
  }
}
