import { Autocomplete } from '@base-ui/react/autocomplete';
import { showKeys } from '@vitrine/editor/press';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { isPhone } from '../workspace/phone.ts';
import { useSource } from '../workspace/source.ts';
import { allCommands, type ListedCommand } from './all-commands.ts';
import styles from './command-palette.module.css';
import { findCommands, type FoundCommand } from './find-commands.ts';
import { planKeys } from './key-plan.ts';
import { readRecent, rememberRecent } from './recent-commands.ts';
import type { Surrounds } from './workspace-commands.ts';

interface PaletteProps {
  surrounds: Surrounds;
  isOpen: boolean;
}

/** Every command by its name, with its keys. What is chosen is done where the focus was. */
export default function CommandPalette({ surrounds, isOpen }: PaletteProps) {
  const { dialog } = surrounds.workspace;
  function choose(command: ListedCommand): void {
    rememberRecent(command.id);
    dialog.set(null);
    // When the dialog has given the focus back.
    requestAnimationFrame(() => command.run(surrounds));
  }
  return (
    <Dialog open={isOpen} onClose={() => dialog.set(null)} title="Commands" bare>
      <Chooser surrounds={surrounds} onChoose={choose} />
    </Dialog>
  );
}

/** All that do something here, but the one that leads here. */
function listCommands(): readonly ListedCommand[] {
  const hasRoom = !isPhone();
  return allCommands.filter(({ id, needsRoom }) => id !== 'commands' && (hasRoom || !needsRoom));
}

interface ChooserProps {
  surrounds: Surrounds;
  onChoose: (command: ListedCommand) => void;
}

function Chooser({ surrounds, onChoose }: ChooserProps) {
  const [words, setWords] = useState('');
  const [recent] = useState(readRecent);
  const found = findCommands(listCommands(), { words, recent });
  const { keys } = useSource(surrounds.workspace.preferences.now);
  const plan = planKeys(allCommands, keys);
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      autoHighlight="always"
      items={found}
      itemToStringValue={({ command }: FoundCommand) => command.name}
      value={words}
      onValueChange={(value, { reason }) => reason === 'input-change' && setWords(value)}
    >
      <Autocomplete.Input
        aria-label="Command"
        placeholder="Search commands"
        spellCheck={false}
        className={styles.field}
      />
      <Autocomplete.Empty className={styles.nothing}>
        No command has these letters.
      </Autocomplete.Empty>
      <Autocomplete.List aria-label="Commands" className={styles.list}>
        {(each: FoundCommand) => (
          <Option
            key={each.command.id}
            found={each}
            keys={plan.get(each.command.id) ?? []}
            onChoose={() => onChoose(each.command)}
          />
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

interface OptionProps {
  found: FoundCommand;
  keys: readonly string[];
  onChoose: () => void;
}

function Option({ found, keys, onChoose }: OptionProps) {
  return (
    <Autocomplete.Item value={found} className={styles.option} onClick={onChoose}>
      <span className={styles.name}>
        {[...found.command.name].map((letter, index) =>
          found.indexes.includes(index) ? <b key={index}>{letter}</b> : letter,
        )}
      </span>
      {keys.map((key) => (
        <kbd key={key} className={styles.keys}>
          {showKeys(key)}
        </kbd>
      ))}
    </Autocomplete.Item>
  );
}
