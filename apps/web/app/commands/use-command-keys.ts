import { namesOfPress } from '@vitrine/editor/press';
import { useEffect, useEffectEvent } from 'react';
import { planKeys } from './key-plan.ts';
import { isForPage } from './palette-keys.ts';
import { workspaceCommands, type Surrounds } from './workspace-commands.ts';

/**
 * Runs workspace commands by their keys wherever the focus is. The editor handles its own keys
 * first.
 */
export function useCommandKeys(context: Surrounds): void {
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isForPage(event)) return;
    const names = namesOfPress(event);
    const plan = planKeys(workspaceCommands, context.workspace.preferences.now.get().keys);
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
