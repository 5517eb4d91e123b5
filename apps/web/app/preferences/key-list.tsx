import { showKeys } from '@vitrine/editor/press';
import { useRef, useState } from 'react';
import { allCommands, type ListedCommand } from '../commands/all-commands.ts';
import { findCommands } from '../commands/find-commands.ts';
import { chooseKey, keysThatCome, planKeys, resetKey } from '../commands/key-plan.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useSource } from '../workspace/source.ts';
import { KeyField } from './key-field.tsx';
import type { PersonPreferences } from './person-preferences.ts';
import styles from './key-list.module.css';

/** Every command with its keys, to be changed. */
export function KeyList({ preferences }: { preferences: PersonPreferences }) {
  const { keys: chosen, keymap } = useSource(preferences.now);
  const [words, setWords] = useState('');
  const [changing, setChanging] = useState<string>();
  const plan = planKeys(allCommands, chosen);
  const found = findCommands(allCommands, { words, recent: [] });

  return (
    <>
      <TextField
        label="Find a command"
        type="search"
        value={words}
        description={
          keymap === 'vscode'
            ? 'Press Change, then the new keys: they replace those there are.'
            : 'Where one types, the keys of the keymap come first.'
        }
        onChange={({ target }) => setWords(target.value)}
      />
      <ul aria-label="Keys" className={styles.list}>
        {found.map(({ command }) => (
          <Row
            key={command.id}
            command={command}
            keys={plan.get(command.id) ?? []}
            losses={lossesOf(command, plan)}
            isOwn={Object.hasOwn(chosen, command.id)}
            isChanging={changing === command.id}
            onBegin={() => setChanging(command.id)}
            onEnd={(key) => {
              setChanging(undefined);
              if (key !== undefined)
                preferences.change({ keys: chooseKey(chosen, command.id, key) });
            }}
            onReset={() => preferences.change({ keys: resetKey(chosen, command.id) })}
          />
        ))}
      </ul>
    </>
  );
}

interface Loss {
  readonly key: string;
  readonly winner: string;
}

/** Keys that came with a command and now do something else. */
function lossesOf(
  command: ListedCommand,
  plan: ReadonlyMap<string, readonly string[]>,
): readonly Loss[] {
  const own = plan.get(command.id) ?? [];
  return keysThatCome(command).flatMap((key) => {
    if (own.includes(key)) return [];
    const winner = allCommands.find(({ id }) => plan.get(id)?.includes(key));
    return winner ? [{ key, winner: winner.name }] : [];
  });
}

interface RowProps {
  command: ListedCommand;
  keys: readonly string[];
  losses: readonly Loss[];
  /** Somebody has chosen them. */
  isOwn: boolean;
  isChanging: boolean;
  onBegin: () => void;
  /** The key that was pressed, or none where it stays as it was. */
  onEnd: (key?: string) => void;
  onReset: () => void;
}

function Row({ command, keys, losses, isOwn, isChanging, onBegin, onEnd, onReset }: RowProps) {
  const { name } = command;
  const change = useRef<HTMLButtonElement>(null);
  return (
    <li aria-label={name} className={styles.row}>
      <span className={styles.name}>
        {name}
        {losses.map(({ key, winner }) => (
          <span key={key} className={styles.loss}>
            {showKeys(key)} is now {winner}
          </span>
        ))}
      </span>
      {isChanging ? (
        <KeyField
          label={`Keys for ${name}`}
          onEnd={(key) => {
            // Before the field goes, with which the focus would.
            change.current?.focus();
            onEnd(key);
          }}
          onLeave={onEnd}
        />
      ) : (
        <>
          <span className={styles.keys}>
            {keys.map((key) => (
              <kbd key={key}>{showKeys(key)}</kbd>
            ))}
          </span>
          {isOwn && (
            <Button
              size="small"
              variant="quiet"
              aria-label={`Reset keys of ${name}`}
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
      <Button ref={change} size="small" aria-label={`Change keys of ${name}`} onClick={onBegin}>
        Change
      </Button>
    </li>
  );
}
