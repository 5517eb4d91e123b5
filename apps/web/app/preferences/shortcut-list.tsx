import { formatKeys } from '@vitrine/editor/key-names';
import { useRef, useState } from 'react';
import { allCommands, type ListedCommand } from '../commands/all-commands.ts';
import { searchCommands } from '../commands/search-commands.ts';
import {
  setKeybinding,
  getDefaultKeys,
  resolveKeybindings,
  resetKeybinding,
} from '../commands/keybindings.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useStore } from '../workspace/value-store.ts';
import { ShortcutField } from './shortcut-field.tsx';
import type { PreferencesStore } from './preferences-store.ts';
import styles from './shortcut-list.module.css';

/** List of all commands with their keyboard shortcuts, to change them. */
export function ShortcutList({ preferences }: { preferences: PreferencesStore }) {
  const { keys: chosen, keymap } = useStore(preferences.current);
  const [query, setQuery] = useState('');
  const [changing, setChanging] = useState<string>();
  const plan = resolveKeybindings(allCommands, chosen);
  const found = searchCommands(allCommands, { query, recent: [] });

  return (
    <>
      <TextField
        label="Find a command"
        type="search"
        value={query}
        description={
          keymap === 'vscode'
            ? 'Select Change, then press a new shortcut.'
            : `In the editor, the ${keymap === 'vim' ? 'Vim' : 'Emacs'} keymap’s shortcuts take precedence.`
        }
        onChange={({ target }) => setQuery(target.value)}
      />
      <ul aria-label="Keyboard shortcuts" className={styles.list}>
        {found.map(({ command }) => (
          <Row
            key={command.id}
            command={command}
            keys={plan.get(command.id) ?? []}
            conflicts={findConflicts(command, plan)}
            isCustom={Object.hasOwn(chosen, command.id)}
            isChanging={changing === command.id}
            onStart={() => setChanging(command.id)}
            onEnd={(key) => {
              setChanging(undefined);
              if (key !== undefined)
                preferences.change({ keys: setKeybinding(chosen, command.id, key) });
            }}
            onReset={() => preferences.change({ keys: resetKeybinding(chosen, command.id) })}
          />
        ))}
      </ul>
    </>
  );
}

interface Conflict {
  readonly key: string;
  /** Name of the command that the key runs now. */
  readonly winner: string;
}

/** Finds default keys of a command that another command uses now. */
function findConflicts(
  command: ListedCommand,
  plan: ReadonlyMap<string, readonly string[]>,
): readonly Conflict[] {
  const own = plan.get(command.id) ?? [];
  return getDefaultKeys(command).flatMap((key) => {
    if (own.includes(key)) return [];
    const winner = allCommands.find(({ id }) => plan.get(id)?.includes(key));
    return winner ? [{ key, winner: winner.name }] : [];
  });
}

interface RowProps {
  command: ListedCommand;
  keys: readonly string[];
  conflicts: readonly Conflict[];
  /** Whether the user has chosen the keys. */
  isCustom: boolean;
  isChanging: boolean;
  onStart: () => void;
  /** Called with the key that was pressed, or without one if nothing changes. */
  onEnd: (key?: string) => void;
  onReset: () => void;
}

function Row({ command, keys, conflicts, isCustom, isChanging, ...props }: RowProps) {
  const { onStart, onEnd, onReset } = props;
  const { name } = command;
  const change = useRef<HTMLButtonElement>(null);
  return (
    <li aria-label={name} className={styles.row}>
      <span className={styles.name}>
        {name}
        {conflicts.map(({ key, winner }) => (
          <span key={key} className={styles.conflict}>
            {formatKeys(key)} now runs “{winner}”
          </span>
        ))}
      </span>
      {isChanging ? (
        <ShortcutField
          label={`Shortcut for ${name}`}
          onEnd={(key) => {
            // Before the field is removed, which would lose the focus.
            change.current?.focus();
            onEnd(key);
          }}
          onLeave={onEnd}
        />
      ) : (
        <>
          <span className={styles.keys}>
            {keys.map((key) => (
              <kbd key={key}>{formatKeys(key)}</kbd>
            ))}
          </span>
          {isCustom && (
            <Button
              size="small"
              variant="quiet"
              aria-label={`Reset shortcut for ${name}`}
              onClick={() => {
                change.current?.focus();
                onReset();
              }}
            >
              Reset
            </Button>
          )}
        </>
      )}
      <Button
        ref={change}
        size="small"
        aria-label={`Change shortcut for ${name}`}
        onClick={onStart}
      >
        Change
      </Button>
    </li>
  );
}
