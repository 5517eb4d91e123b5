import { namesOfPress } from '@vitrine/editor/press';
import { useEffect, useEffectEvent } from 'react';
import { planKeys } from './key-plan.ts';
import { workspaceCommands, type Surrounds } from './workspace-commands.ts';

/** The workspace’s commands by their keys, wherever the focus is; the editor’s own come first. */
export function useCommandKeys(surrounds: Surrounds): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    // A dialog is somewhere else.
    if (event.defaultPrevented || event.isComposing || isInDialog(event.target)) return;
    if (isTyped(event) && isField(event.target)) return;
    const names = namesOfPress(event);
    const plan = planKeys(workspaceCommands, surrounds.workspace.preferences.now.get().keys);
    const command = workspaceCommands.find(({ id }) =>
      plan.get(id)?.some((key) => names.includes(key)),
    );
    if (!command) return;
    event.preventDefault();
    command.run(surrounds);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

/** A sign by itself, which fields take. */
function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  );
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog]:not([data-closed])') !== null;
}
