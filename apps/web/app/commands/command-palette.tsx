import { isPhone } from '../workspace/layout/phone.ts';
import { useStore } from '../workspace/value-store.ts';
import { allCommands, type ListedCommand } from './all-commands.ts';
import { resolveKeybindings } from './keybindings.ts';
import { Palette } from './palette.tsx';
import type { CommandContext } from './workspace-commands.ts';

interface CommandPaletteProps {
  context: CommandContext;
  isOpen: boolean;
}

/**
 * Palette of all commands with their shortcuts. The selected command runs where the focus was
 * before.
 */
export default function CommandPalette({ context, isOpen }: CommandPaletteProps) {
  const { layout, preferences } = context.workspace;
  const { keys } = useStore(preferences.current);
  return (
    <Palette
      isOpen={isOpen}
      onClose={() => layout.dialog.set(null)}
      commands={listCommands()}
      keys={resolveKeybindings(allCommands, keys)}
      onChoose={(command) => command.run(context)}
    />
  );
}

/** Commands that have an effect on this screen, except the one that opens the palette. */
function listCommands(): readonly ListedCommand[] {
  const hasRoom = !isPhone();
  return allCommands.filter(
    ({ id, desktopOnly }) => id !== 'commands' && (hasRoom || !desktopOnly),
  );
}
