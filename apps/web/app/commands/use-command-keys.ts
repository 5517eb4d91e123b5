import { listKeyNames } from '@vitrine/editor/key-names';
import { useEffect, useEffectEvent } from 'react';
import { resolveKeybindings } from './keybindings.ts';
import { isPageShortcut } from './palette-keys.ts';
import { workspaceCommands, type CommandContext } from './workspace-commands.ts';

/**
 * Runs workspace commands by their keys wherever the focus is. The editor handles its own keys
 * first.
 */
export function useCommandKeys(context: CommandContext): void {
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isPageShortcut(event)) return;
    const names = listKeyNames(event);
    const plan = resolveKeybindings(
      workspaceCommands,
      context.workspace.preferences.current.get().keys,
    );
    const command = workspaceCommands.find(({ id }) =>
      plan.get(id)?.some((key) => names.includes(key)),
    );
    if (!command) return;
    event.preventDefault();
    command.run(context);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handleKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
