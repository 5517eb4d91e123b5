import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { DeletionBanner } from '../account/settings/deletion-banner.tsx';
import { ImportHost } from '../import/import-host.tsx';
import { useCommandKeys } from '../commands/use-command-keys.ts';
import type { CommandContext } from '../commands/workspace-commands.ts';
import { WorkspaceDialogs } from '../commands/workspace-dialogs.tsx';
import { getCodeStyle } from '../preferences/preferences.ts';
import codeThemes from '../preferences/code-themes.css?url';
import { onBeforeSignOut } from '../session/sign-out.ts';
import { onTokenRefreshed } from '../session/token-refresh.ts';
import { useHydrated } from '../ui/hydrated.ts';
import { loadable } from '../ui/loadable.tsx';
import { whenIdle } from '../schedule.ts';
import { formatLayoutCookie } from './layout/workspace-layout.ts';
import { TopBar } from './layout/top-bar.tsx';
import { CollisionDialog } from './tree/collision-dialog.tsx';
import { preloadLinkParsers } from './tree/link-edits.ts';
import type { ProjectTree } from './tree/project-tree.ts';
import { BottomPanel } from './layout/bottom-panel.tsx';
import { mainName, useRequestedFocus } from './layout/layout-controller.ts';
import { preloadPanels, withKnownPanels } from './layout/panels.tsx';
import { isPhone } from './layout/phone.ts';
import { storeLayout, restoreLayout } from './layout/project-layouts.ts';
import { ActivityBar } from './layout/activity-bar.tsx';
import { useSaving, type SaveActions } from './saving/saving.ts';
import { storeTypedTexts, type TypedText } from './bootstrap/typed-text.ts';
import { getEditedPath } from './tabs/tabs.ts';
import { useStore } from './value-store.ts';
import { WorkspaceGrid } from './layout/workspace-grid.tsx';
import type { WorkspaceSession } from './session.ts';
import { SaveErrorBanner } from './saving/save-error-banner.tsx';
import styles from './workspace-screen.module.css';
import type { Workspace } from './workspace.ts';

const UnsavedChangesBanner = loadable(
  async () => {
    await new Promise<void>(whenIdle);
    return await import('./saving/unsaved-changes-banner.tsx');
  },
  { isSilent: true },
);
const UploadList = loadable(() => import('./assets/upload-list.tsx'));

/** Workspace screen. Starts the workspace on mount and closes it on unmount. */
export function WorkspaceScreen({ workspace }: { workspace: Workspace }) {
  const { code, layout, session } = workspace;
  const view = useStore(workspace.openFiles.view);
  const preferences = useStore(workspace.preferences.current);
  const isDockOpen = useStore(layout.current).dock !== null;
  const hasUploads = useStore(workspace.assets.uploads).length > 0;
  const actions = useSaving(session, code);
  const isStarting = !useHydrated();
  useWorkspaceLifecycle(workspace);
  useOfflineCode(workspace);
  useSaveRequest(workspace, actions);
  const context = useCommandContext(workspace, actions);
  useCommandKeys(context);
  useKeyboardInset();
  useFileDrop(workspace.tree);
  const main = useRef<HTMLElement>(null);
  useRequestedFocus(layout, mainName, () => makeFocusable(main.current));
  useFocusOnOpen(session, () => makeFocusable(main.current)?.focus({ preventScroll: true }));

  return (
    <div
      className={styles.screen}
      style={getCodeStyle(preferences)}
      data-view={view}
      data-starting={isStarting || undefined}
    >
      {preferences.codeTheme !== 'vitrine' && (
        <link rel="stylesheet" href={codeThemes} precedence="code" />
      )}
      <TopBar workspace={workspace} actions={actions} />
      <DeletionBanner />
      <UnsavedChangesBanner session={session} layout={layout} />
      <SaveErrorBanner session={session} actions={actions} />
      <div className={styles.body}>
        <ActivityBar layout={layout} />
        <main ref={main} className={styles.main}>
          <WorkspaceGrid workspace={workspace} />
          {!isDockOpen && (
            <div className={styles.closedDock}>
              <BottomPanel workspace={workspace} />
            </div>
          )}
        </main>
      </div>
      <CollisionDialog tree={workspace.tree} />
      {hasUploads && <UploadList assets={workspace.assets} layout={layout} />}
      <WorkspaceDialogs context={context} />
      <ImportHost project={workspace.tree} />
    </div>
  );
}

/** Makes an element focusable by script until it loses the focus. */
function makeFocusable(element: HTMLElement | null): HTMLElement | null {
  if (!element) return null;
  element.tabIndex = -1;
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  return element;
}

/**
 * Moves the focus to the content when a template or another project opens without a page load, and
 * when Save, which had it, is replaced by Fork. Otherwise it would be on the body.
 */
function useFocusOnOpen(session: WorkspaceSession, focusMain: () => void): void {
  const { kind } = useStore(session.identity);
  /** Undefined before the first effect, except after a page load, which leaves the focus alone. */
  const lastKind = useRef(useHydrated() ? undefined : kind);
  const focus = useEffectEvent(focusMain);
  useEffect(() => {
    if (lastKind.current !== kind && document.activeElement === document.body) focus();
    lastKind.current = kind;
  }, [kind]);
}

function useCommandContext(workspace: Workspace, actions: SaveActions): CommandContext {
  const navigate = useNavigate();
  return {
    workspace,
    save: () => void actions.save(),
    fork: () => void actions.fork(),
    goTo: (address) => void navigate(address),
  };
}

function useWorkspaceLifecycle(workspace: Workspace): void {
  // A layout effect runs before the effects of child components, which mount the preview and the
  // editors.
  useLayoutEffect(() => {
    // A `view` parameter takes precedence over the stored layout.
    const view = new URLSearchParams(location.search).get('view');
    if (view === null) restoreLayout(workspace);
    const { layout, openFiles } = workspace;
    layout.current.set(withKnownPanels(layout.current.get()));
    // The sidebar would cover the code on a phone.
    if (isPhone() && view !== 'history') layout.showSidebar(null);
    // The panel is beside the code, and a visitor with a phone would see the result.
    if (view === 'history') openFiles.view.set('code');
    workspace.start();
    return () => workspace.close();
  }, [workspace]);

  useEffect(() => {
    const { layout, openFiles, session } = workspace;
    const writeLayoutCookie = () => {
      const workspaceLayout = { ...layout.current.get(), last: storeLayout(workspace) };
      document.cookie = formatLayoutCookie(workspaceLayout, session.userId);
    };
    const refresh = () => {
      if (document.hidden) return;
      // The save state reports an unreachable server. The next visit retries.
      session.refresh().catch(() => undefined);
      session.trash.check();
    };
    // Only changes that exist in no storage would be lost by leaving.
    const warn = (event: BeforeUnloadEvent) => {
      if (session.saveStatus.state.get().status === 'not-stored') event.preventDefault();
    };
    const storeTyped = () => storeTypedTexts(session.identity.get().id, findTypedTexts(workspace));
    // After the open document's own listener, which stores the edits.
    const listenToUnload = () => {
      window.removeEventListener('pagehide', storeTyped);
      if (session.openState.get().status === 'open')
        window.addEventListener('pagehide', storeTyped);
    };
    listenToUnload();
    const unsubscribes = [
      session.openState.subscribe(listenToUnload),
      layout.current.subscribe(writeLayoutCookie),
      // A draft that is saved becomes another project.
      session.identity.subscribe(writeLayoutCookie),
      ...openFiles.groups.map((side) => side.subscribe(writeLayoutCookie)),
      onBeforeSignOut(() => session.flush()),
      onTokenRefreshed(() => void session.retry()),
    ];
    document.addEventListener('visibilitychange', refresh);
    window.addEventListener('focus', refresh);
    window.addEventListener('beforeunload', warn);
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
      document.removeEventListener('visibilitychange', refresh);
      window.removeEventListener('pagehide', storeTyped);
      window.removeEventListener('focus', refresh);
      window.removeEventListener('beforeunload', warn);
    };
  }, [workspace]);
}

/** Texts of the shown files, if edits haven't been sent. The device has stored those. */
function findTypedTexts({ openFiles, session }: Workspace): Record<string, TypedText> {
  const status = session.opened?.live.state.status;
  if (session.identity.get().kind === 'draft' || (status !== 'saving' && status !== 'offline'))
    return {};
  const files = session.readFiles();
  const texts: Record<string, TypedText> = {};
  for (const group of openFiles.groups) {
    const path = getEditedPath(group.get().active);
    const file = path === undefined ? undefined : files.get(path);
    if (path !== undefined && file?.kind === 'text')
      texts[path] = { text: file.text, base: file.text };
  }
  return texts;
}

/** Adds files that are dropped beside the tree and the editors; the browser would leave the page. */
function useFileDrop(tree: ProjectTree): void {
  useEffect(() => {
    const isTaken = ({ defaultPrevented, dataTransfer }: DragEvent) =>
      defaultPrevented || !dataTransfer?.types.includes('Files');
    const allow = (event: DragEvent) => {
      if (!isTaken(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (isTaken(event) || !event.dataTransfer) return;
      event.preventDefault();
      tree.drop(event.dataTransfer, '');
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, [tree]);
}

/** Connects the editor's save key to the save action. */
function useSaveRequest(workspace: Workspace, actions: SaveActions): void {
  const save = useEffectEvent(() => void actions.save());
  useEffect(() => workspace.onSaveRequest(save), [workspace]);
}

/** Loads code once the project runs that has to work without a connection, too. */
function useOfflineCode({ preview: { state } }: Workspace): void {
  useEffect(() => {
    const unsubscribe = state.subscribe(() => {
      if (state.get().status !== 'running') return;
      unsubscribe();
      whenIdle(() => {
        preloadPanels();
        preloadLinkParsers();
      });
    });
    return unsubscribe;
  }, [state]);
}

/**
 * Sets the height left by a phone's on-screen keyboard, so that the key bar is placed right above
 * it.
 */
function useKeyboardInset(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport || !matchMedia('(pointer: coarse)').matches) return;
    const updateHeight = () => {
      document.documentElement.style.setProperty('--seen-height', `${viewport.height}px`);
    };
    updateHeight();
    viewport.addEventListener('resize', updateHeight);
    return () => {
      viewport.removeEventListener('resize', updateHeight);
      document.documentElement.style.removeProperty('--seen-height');
    };
  }, []);
}
