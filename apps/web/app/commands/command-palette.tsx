import { isPhone } from '../workspace/phone.ts';
import { useSource } from '../workspace/source.ts';
import { allCommands, type ListedCommand } from './all-commands.ts';
import { planKeys } from './key-plan.ts';
import { Palette } from './palette.tsx';
import type { Surrounds } from './workspace-commands.ts';

interface CommandPaletteProps {
  context: Surrounds;
  isOpen: boolean;
}

/**
 * Palette of all commands with their shortcuts. The selected command runs where the focus was
 * before.
 */
export default function CommandPalette({ context, isOpen }: CommandPaletteProps) {
  const { dialog, preferences } = context.workspace;
  const { keys } = useSource(preferences.now);
  return (
    <Palette
      isOpen={isOpen}
      onClose={() => dialog.set(null)}
      commands={listCommands()}
      keys={planKeys(allCommands, keys)}
      onChoose={(command) => command.run(context)}
    />
  );
}

/** Commands that have an effect on this screen, except the one that opens the palette. */
function listCommands(): readonly ListedCommand[] {
  const hasRoom = !isPhone();
  return allCommands.filter(({ id, needsRoom }) => id !== 'commands' && (hasRoom || !needsRoom));
}
