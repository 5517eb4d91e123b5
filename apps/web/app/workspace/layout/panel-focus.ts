import { useEffectEvent, useLayoutEffect } from 'react';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Focuses a control when its name is set as `workspace.panelFocus`, which may be before it is
 * mounted. The text of a field is selected, so that typing replaces it.
 */
export function usePanelFocus(
  { panelFocus }: Workspace,
  name: string,
  findControl: () => HTMLElement | null | undefined,
): void {
  const isRequested = useStore(panelFocus) === name;
  const focus = useEffectEvent(() => {
    panelFocus.set(null);
    const control = findControl();
    if (control instanceof HTMLInputElement) control.select();
    control?.focus();
  });
  useLayoutEffect(() => {
    if (isRequested) focus();
  }, [isRequested]);
}
