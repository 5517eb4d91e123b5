import { useEffectEvent, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { useStore, ValueStore } from '../value-store.ts';
import type { LayoutName, WorkspaceLayout } from './workspace-layout.ts';

/** Name of the screen's main content, for `requestedFocus`. */
export const mainName = 'main';

/** Dialog open over the workspace. */
export type WorkspaceDialog =
  | 'commands'
  | 'settings'
  | 'keys'
  | 'share'
  | 'file'
  | 'details'
  | 'collections'
  | 'permissions'
  | 'download';

/** What is visible in a workspace: layout, panels, dialog, and which control takes the focus. */
export class LayoutController {
  readonly current: ValueStore<WorkspaceLayout>;
  readonly dialog = new ValueStore<WorkspaceDialog | null>(null);
  /** Name of the control that takes the focus as soon as it is mounted. */
  readonly requestedFocus = new ValueStore<string | null>(null);

  constructor(layout: WorkspaceLayout) {
    this.current = new ValueStore(layout);
  }

  /** Opens a sidebar panel, or closes the open one. */
  showSidebar(panel: string | null): void {
    this.current.set({ ...this.current.get(), panel });
  }

  /** Opens a sidebar panel, or closes it if it's open. */
  toggleSidebar(panel: string): void {
    this.showSidebar(this.current.get().panel === panel ? null : panel);
  }

  /** Opens a tab of the bottom panel, or closes the panel. */
  showBottomPanel(dock: string | null): void {
    this.current.set({ ...this.current.get(), dock });
  }

  setLayout(layout: LayoutName): void {
    this.current.set({ ...this.current.get(), layout });
  }

  /** Shows a panel and moves the focus to a control in it. */
  showAndFocus(control: string, show: () => void): void {
    flushSync(() => {
      show();
      this.requestedFocus.set(control);
    });
  }
}

/**
 * Focuses a control when its name is set as `requestedFocus`, which may be before it is mounted. The
 * text of a field is selected, so that typing replaces it.
 */
export function useRequestedFocus(
  { requestedFocus }: LayoutController,
  name: string,
  findControl: () => HTMLElement | null | undefined,
): void {
  const isRequested = useStore(requestedFocus) === name;
  const focus = useEffectEvent(() => {
    requestedFocus.set(null);
    const control = findControl();
    if (control instanceof HTMLInputElement) control.select();
    control?.focus();
  });
  useLayoutEffect(() => {
    if (isRequested) focus();
  }, [isRequested]);
}
