import { isPhone } from '../workspace/layout/phone.ts';
import type { WorkspaceIdentity } from '../workspace/sharing/identity.ts';
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
  const { layout, preferences, session } = context.workspace;
  const { keys } = useStore(preferences.current);
  return (
    <Palette
      isOpen={isOpen}
      onClose={() => layout.dialog.set(null)}
      commands={listCommands(session.identity.get())}
      keys={resolveKeybindings(allCommands, keys)}
      onChoose={(command) => command.run(context)}
    />
  );
}

/** Commands that have an effect on this screen, except the one that opens the palette. */
function listCommands(identity: WorkspaceIdentity): readonly ListedCommand[] {
  const hasRoom = !isPhone();
  return allCommands.filter(
    (command) =>
      command.id !== 'commands' &&
      (hasRoom || !command.desktopOnly) &&
      (command.isListed?.(identity) ?? true),
  );
}
