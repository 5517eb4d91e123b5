import { showKeys } from '@vitrine/editor/press';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { useSource } from '../workspace/source.ts';
import { allCommands, type ListedCommand } from './all-commands.ts';
import styles from './command-palette.module.css';
import { findCommands, type FoundCommand } from './find-commands.ts';
import { planKeys } from './key-plan.ts';
import { readRecent, rememberRecent } from './recent-commands.ts';
import type { Surrounds } from './workspace-commands.ts';

/** Every command by its name, with its keys. What is chosen is done where the focus was. */
export default function CommandPalette({ surrounds }: { surrounds: Surrounds }) {
  const { dialog } = surrounds.workspace;
  function choose(command: ListedCommand): void {
    rememberRecent(command.id);
    dialog.set(null);
    // When the dialog has given the focus back.
    requestAnimationFrame(() => command.run(surrounds));
  }
  return (
    <Dialog open onClose={() => dialog.set(null)} title="Commands" bare>
      <Chooser surrounds={surrounds} onChoose={choose} />
    </Dialog>
  );
}

interface ChooserProps {
  surrounds: Surrounds;
  onChoose: (command: ListedCommand) => void;
}

function Chooser({ surrounds, onChoose }: ChooserProps) {
  const id = useId();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const [recent] = useState(readRecent);
  const found = findCommands(allCommands, { words, recent });
  const { keys } = useSource(surrounds.workspace.preferences.now);
  const plan = planKeys(allCommands, keys);
  const chosen = found[at];

  function press(event: KeyboardEvent): void {
    const next = keyTarget(event.key, at, found.length);
    if (event.key === 'Enter' && chosen) onChoose(chosen.command);
    else if (next !== undefined) setAt(next);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <input
        role="combobox"
        aria-label="Command"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && `${id}-${chosen.command.id}`}
        aria-autocomplete="list"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Search commands"
        className={styles.field}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Commands" className={styles.list}>
        {found.map((each, index) => (
          <Option
            key={each.command.id}
            id={`${id}-${each.command.id}`}
            found={each}
            keys={plan.get(each.command.id) ?? []}
            isChosen={index === at}
            onChoose={() => onChoose(each.command)}
          />
        ))}
      </div>
      {found.length === 0 && <p className={styles.nothing}>No command has these letters.</p>}
    </>
  );
}

function keyTarget(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'PageDown') return Math.min(at + 8, count - 1);
  return key === 'PageUp' ? Math.max(at - 8, 0) : undefined;
}

interface OptionProps {
  id: string;
  found: FoundCommand;
  keys: readonly string[];
  isChosen: boolean;
  onChoose: () => void;
}

function Option({ id, found, keys, isChosen, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const { name } = found.command;
  return (
    <div
      ref={element}
      role="option"
      id={id}
      aria-label={name}
      aria-selected={isChosen}
      className={styles.option}
      onClick={onChoose}
    >
      <span className={styles.name}>
        {[...name].map((letter, index) =>
          found.indexes.includes(index) ? <b key={index}>{letter}</b> : letter,
        )}
      </span>
      {keys.map((key) => (
        <kbd key={key} className={styles.keys}>
          {showKeys(key)}
        </kbd>
      ))}
    </div>
  );
}
