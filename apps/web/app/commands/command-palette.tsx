import { isPhone } from '../workspace/phone.ts';
import { useSource } from '../workspace/source.ts';
import { allCommands, type ListedCommand } from './all-commands.ts';
import { planKeys } from './key-plan.ts';
import { Palette } from './palette.tsx';
import type { Surrounds } from './workspace-commands.ts';

interface CommandPaletteProps {
  surrounds: Surrounds;
  isOpen: boolean;
}

/** Every command by its name, with its keys. What is chosen is done where the focus was. */
export default function CommandPalette({ surrounds, isOpen }: CommandPaletteProps) {
  const { dialog, preferences } = surrounds.workspace;
  const { keys } = useSource(preferences.now);
  return (
    <Palette
      isOpen={isOpen}
      onClose={() => dialog.set(null)}
      commands={listCommands()}
      keys={planKeys(allCommands, keys)}
      onChoose={(command) => command.run(surrounds)}
    />
  );
}

/** All that do something here, but the one that leads here. */
function listCommands(): readonly ListedCommand[] {
  const hasRoom = !isPhone();
  return allCommands.filter(({ id, needsRoom }) => id !== 'commands' && (hasRoom || !needsRoom));
}
