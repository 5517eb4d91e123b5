import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { onSessionEnd } from '../session/session-end.ts';
import { onTokenRefreshed } from '../session/token-refresh.ts';
import { useHydrated } from '../ui/hydrated.ts';
import { arrangementToCookie } from './arrangement.ts';
import { Bar } from './bar.tsx';
import { DeclarationDialog } from './declaration-dialog.tsx';
import { Dock } from './dock.tsx';
import { LaterDialogs } from './later-dialogs.tsx';
import { isPhone } from './phone.ts';
import { keepLayout, restoreLayout } from './project-layouts.ts';
import { Rail } from './rail.tsx';
import { useSaving, type SaveActions } from './saving.ts';
import { useSource } from './source.ts';
import { Stage } from './stage.tsx';
import { Trouble } from './trouble.tsx';
import styles from './workspace-screen.module.css';
import type { Workspace } from './workspace.ts';

/** The screen people live in. It starts the workspace when it comes and closes it when it goes. */
export function WorkspaceScreen({ workspace }: { workspace: Workspace }) {
  const view = useSource(workspace.openFiles.view);
  const isDockOpen = useSource(workspace.arrangement).dock !== null;
  const actions = useSaving(workspace);
  const isStarting = !useHydrated();
  useLife(workspace);
  useSaveKey(workspace, actions);
  useProblemKeys(workspace);
  useSearchKey(workspace);
  useGoToFileKey(workspace);
  useKeyboardInset();

  return (
    <div className={styles.screen} data-view={view} data-starting={isStarting || undefined}>
      <Bar workspace={workspace} actions={actions} />
      <Trouble workspace={workspace} actions={actions} />
      <div className={styles.body}>
        <Rail workspace={workspace} />
        <main className={styles.main}>
          <Stage workspace={workspace} />
          {!isDockOpen && (
            <div className={styles.closedDock}>
              <Dock workspace={workspace} />
            </div>
          )}
        </main>
      </div>
      <DeclarationDialog workspace={workspace} />
      <LaterDialogs workspace={workspace} />
    </div>
  );
}

function useLife(workspace: Workspace): void {
  // Before the effects of what is inside, which show the result and the editors.
  useLayoutEffect(() => {
    // An address that says what to show goes first.
    if (!new URLSearchParams(location.search).has('view')) restoreLayout(workspace);
    // It would lie over the code before anyone asked for it.
    if (isPhone()) workspace.closePanel();
    workspace.start();
    return () => workspace.close();
  }, [workspace]);

  useEffect(() => {
    const keepArrangement = () => {
      const arrangement = { ...workspace.arrangement.get(), last: keepLayout(workspace) };
      document.cookie = arrangementToCookie(arrangement, workspace.person?.id ?? null);
    };
    const refresh = () => {
      // Out of reach is told by the save state; the next visit tries again.
      if (!document.hidden) workspace.refresh().catch(() => undefined);
    };
    // Only what is in this tab alone would be lost by leaving.
    const warn = (event: BeforeUnloadEvent) => {
      if (workspace.saving.state.get().status === 'not-kept') event.preventDefault();
    };
    const offs = [
      workspace.arrangement.subscribe(keepArrangement),
      ...workspace.openFiles.sides.map((side) => side.subscribe(keepArrangement)),
      onSessionEnd(() => workspace.flush()),
      onTokenRefreshed(() => void workspace.retry()),
    ];
    document.addEventListener('visibilitychange', refresh);
    window.addEventListener('focus', refresh);
    window.addEventListener('beforeunload', warn);
    return () => {
      for (const off of offs) off();
      document.removeEventListener('visibilitychange', refresh);
      window.removeEventListener('focus', refresh);
      window.removeEventListener('beforeunload', warn);
    };
  }, [workspace]);
}

/** Mod+S saves, in the editor and everywhere else on the screen. */
function useSaveKey(workspace: Workspace, actions: SaveActions): void {
  const save = useEffectEvent(() => void actions.save());
  useEffect(() => {
    const off = workspace.onSaveRequest(save);
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey)
        return;
      if (event.defaultPrevented) return;
      event.preventDefault();
      save();
    };
    window.addEventListener('keydown', press);
    return () => {
      off();
      window.removeEventListener('keydown', press);
    };
  }, [workspace]);
}

/** F8 goes to the next problem, Shift+F8 to the one before; in the editor, first within its file. */
function useProblemKeys({ problems }: Workspace): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'F8' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.defaultPrevented) return;
      event.preventDefault();
      problems.goToNext(event.shiftKey ? -1 : 1);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [problems]);
}

/** Mod+Shift+F looks in all files. */
function useSearchKey({ arrangement }: Workspace): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isOurs = event.key.toLowerCase() === 'f' && event.shiftKey && !event.altKey;
      if (!isOurs || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      flushSync(() => arrangement.set({ ...arrangement.get(), panel: 'search' }));
      document.querySelector<HTMLInputElement>('[aria-label="Search in files"]')?.select();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [arrangement]);
}

/** Mod+P goes to a file by its name. */
function useGoToFileKey({ isGoingToFile }: Workspace): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isOurs = event.key.toLowerCase() === 'p' && !event.shiftKey && !event.altKey;
      if (!isOurs || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      isGoingToFile.set(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isGoingToFile]);
}

/** The height that a phone's keyboard leaves: the bar of symbols then stands right above it. */
function useKeyboardInset(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport || !matchMedia('(pointer: coarse)').matches) return;
    const measure = () => {
      document.documentElement.style.setProperty('--seen-height', `${viewport.height}px`);
    };
    measure();
    viewport.addEventListener('resize', measure);
    return () => {
      viewport.removeEventListener('resize', measure);
      document.documentElement.style.removeProperty('--seen-height');
    };
  }, []);
}
