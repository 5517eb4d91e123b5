import { flushSync } from 'react-dom';
import { parseFontSize } from '../preferences/preferences.ts';
import { changeContrast, changeTheme } from '../ui/theme.ts';
import type {
  BottomPanelTab,
  LayoutName,
  SidebarPanelName,
} from '../workspace/layout/workspace-layout.ts';
import { paletteKeys } from './palette-keys.ts';
import { isPhone } from '../workspace/layout/phone.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Actions of the screen around a workspace. */
export interface CommandContext {
  readonly workspace: Workspace;
  save(): void;
  fork(): void;
  goTo(address: string): void;
}

/** A command that can be run by name and, if it has any, by its keys. */
export interface WorkspaceCommand {
  /** Stored in preferences, so it never changes. Unique across workspace and editor commands. */
  readonly id: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  /** Hides the command on phones, where only one pane is visible at a time. */
  readonly desktopOnly?: true;
  run(context: CommandContext): void;
}

/** All workspace commands. The editor has its own table. */
export const workspaceCommands: readonly WorkspaceCommand[] = [
  {
    id: 'commands',
    name: 'Show all commands',
    keys: paletteKeys,
    run: ({ workspace }) => workspace.dialog.set('commands'),
  },
  {
    id: 'settings',
    name: 'Settings',
    keys: ['Mod-,'],
    run: ({ workspace }) => workspace.dialog.set('settings'),
  },
  {
    id: 'shortcuts',
    name: 'Keyboard shortcuts',
    keys: ['?'],
    run: ({ workspace }) => workspace.dialog.set('keys'),
  },

  { id: 'save', name: 'Save', keys: ['Mod-s'], run: ({ save }) => save() },
  { id: 'run', name: 'Run', keys: ['Mod-Enter'], run: ({ workspace }) => workspace.run() },
  {
    id: 'stop',
    name: 'Stop',
    keys: ['Mod-Shift-Enter'],
    run: ({ workspace }) => workspace.preview.stop(),
  },
  { id: 'fork', name: 'Fork', keys: [], run: ({ fork }) => fork() },
  {
    id: 'share',
    name: 'Share',
    keys: ['Mod-Shift-s'],
    run: ({ workspace }) => workspace.dialog.set('share'),
  },
  {
    id: 'goToFile',
    name: 'Go to file',
    keys: ['Mod-p'],
    run: ({ workspace }) => workspace.dialog.set('file'),
  },
  { id: 'newFile', name: 'New file', keys: [], run: ({ workspace }) => startNewFile(workspace) },
  {
    id: 'closeFile',
    name: 'Close file',
    keys: [],
    run: ({ workspace }) => {
      const { active } = workspace.openFiles.activeTabs.get();
      if (active !== undefined) workspace.openFiles.close(active);
    },
  },
  { id: 'newProject', name: 'New project', keys: [], run: ({ goTo }) => goTo('/new') },
  { id: 'yourWork', name: 'Your work', keys: [], run: ({ goTo }) => goTo('/work') },

  {
    id: 'nextProblem',
    name: 'Go to next problem',
    keys: ['F8'],
    run: ({ workspace }) => workspace.problems.goToNext(1),
  },
  {
    id: 'previousProblem',
    name: 'Go to previous problem',
    keys: ['Shift-F8'],
    run: ({ workspace }) => workspace.problems.goToNext(-1),
  },
  {
    id: 'searchFiles',
    name: 'Search in files',
    keys: ['Mod-Shift-f'],
    run: ({ workspace }) =>
      showAndFocus(() => openPanel(workspace, 'search'), '[aria-label="Search in files"]'),
  },
  {
    id: 'sidebar',
    name: 'Toggle sidebar',
    keys: ['Mod-b'],
    run: ({ workspace }) =>
      openPanel(workspace, workspace.layout.get().panel === null ? 'files' : null),
  },
  panelCommand('files', 'Show files', '[role=tree] [tabindex="0"]'),
  panelCommand('packages', 'Show packages', '[aria-label="Add package"]'),
  {
    id: 'resultPane',
    name: 'Toggle result',
    keys: ['Mod-j'],
    run: ({ workspace }) => toggleResult(workspace),
  },
  {
    id: 'console',
    name: 'Toggle console',
    keys: ['Ctrl-`'],
    run: ({ workspace }) => toggleConsole(workspace),
  },
  dockCommand('problems', 'Show problems', ['Mod-Shift-m']),
  dockCommand('tests', 'Show tests'),
  dockCommand('accessibility', 'Show accessibility'),
  dockCommand('network', 'Show network'),
  dockCommand('devtools', 'Show DevTools'),
  layoutCommand('side', 'Layout: Side by side'),
  layoutCommand('stacked', 'Layout: Stacked'),
  layoutCommand('columns', 'Layout: Three columns'),
  layoutCommand('code', 'Layout: Code only'),
  layoutCommand('result', 'Layout: Result only'),
  ...Array.from({ length: 9 }, (_, index) => tabCommand(index)),

  {
    id: 'wrap',
    name: 'Toggle word wrap',
    keys: ['Alt-z'],
    run: ({ workspace: { preferences } }) =>
      preferences.change({ wraps: !preferences.current.get().wraps }),
  },
  fontCommand('largerFont', 'Increase font size', 1),
  fontCommand('smallerFont', 'Decrease font size', -1),
  { id: 'systemTheme', name: 'Theme: System', keys: [], run: () => changeTheme('system') },
  { id: 'lightTheme', name: 'Theme: Light', keys: [], run: () => changeTheme('light') },
  { id: 'darkTheme', name: 'Theme: Dark', keys: [], run: () => changeTheme('dark') },
  { id: 'moreContrast', name: 'Contrast: High', keys: [], run: () => changeContrast('more') },
  {
    id: 'systemContrast',
    name: 'Contrast: System',
    keys: [],
    run: () => changeContrast('system'),
  },
];

function openPanel({ layout: workspaceLayout }: Workspace, panel: SidebarPanelName | null): void {
  workspaceLayout.set({ ...workspaceLayout.get(), panel });
}

/** `focusSelector` selects the element that gets the focus in the panel. */
function panelCommand(
  panel: SidebarPanelName,
  name: string,
  focusSelector: string,
): WorkspaceCommand {
  return {
    id: `${panel}Panel`,
    name,
    keys: [],
    run: ({ workspace }) => showAndFocus(() => openPanel(workspace, panel), focusSelector),
  };
}

function dockCommand(
  dock: BottomPanelTab,
  name: string,
  keys: readonly string[] = [],
): WorkspaceCommand {
  return {
    id: `${dock}Dock`,
    name,
    keys,
    run: ({ workspace }) =>
      showAndFocus(
        () => workspace.showBottomPanel(dock),
        'section[aria-label=Panel] [role=tab][aria-selected=true]',
      ),
  };
}

function toggleConsole(workspace: Workspace): void {
  const { layout: workspaceLayout } = workspace;
  if (workspaceLayout.get().dock === 'console') {
    workspaceLayout.set({ ...workspaceLayout.get(), dock: null });
    return;
  }
  workspace.showBottomPanel('console');
  workspace.focusesConsoleInput.set(true);
}

function toggleResult(workspace: Workspace): void {
  const { view } = workspace.openFiles;
  if (isPhone()) view.set(view.get() === 'code' ? 'result' : 'code');
  else setLayout(workspace, workspace.layout.get().layout === 'code' ? 'side' : 'code');
}

function setLayout({ layout: workspaceLayout }: Workspace, layout: LayoutName): void {
  workspaceLayout.set({ ...workspaceLayout.get(), layout });
}

function layoutCommand(layout: LayoutName, name: string): WorkspaceCommand {
  return {
    id: `${layout}Layout`,
    name,
    keys: [],
    desktopOnly: true,
    run: ({ workspace }) => setLayout(workspace, layout),
  };
}

function tabCommand(index: number): WorkspaceCommand {
  return {
    id: `tab${index + 1}`,
    name: `Go to tab ${index + 1}`,
    keys: [`Alt-${index + 1}`],
    // Alt types special characters on a Mac.
    mac: [`Ctrl-${index + 1}`],
    run: ({ workspace }) => {
      const path = workspace.openFiles.activeTabs.get().open[index];
      if (path !== undefined) workspace.openFiles.open(path);
    },
  };
}

function fontCommand(id: string, name: string, step: number): WorkspaceCommand {
  return {
    id,
    name,
    keys: [],
    run: ({ workspace: { preferences } }) => {
      const fontSize = parseFontSize(preferences.current.get().fontSize + step);
      if (fontSize !== undefined) preferences.change({ fontSize });
    },
  };
}

function startNewFile(workspace: Workspace): void {
  openPanel(workspace, 'files');
  workspace.tree.naming.set({ kind: 'file', folder: '' });
}

/**
 * Renders something and moves the focus into it. The text of a field is selected, so that typing
 * replaces it.
 */
function showAndFocus(show: () => void, selector: string): void {
  flushSync(show);
  const target = document.querySelector<HTMLElement>(selector);
  if (target instanceof HTMLInputElement) target.select();
  target?.focus();
}
