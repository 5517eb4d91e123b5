import { importRequest } from '../import/import-request.ts';
import { parseFontSize } from '../preferences/preferences.ts';
import { changeContrast, changeTheme } from '../ui/theme/theme.ts';
import { startSavingVersion } from '../workspace/history/save-version.ts';
import { nameOfTab } from '../workspace/layout/bottom-panel.tsx';
import { bottomPanelTabs, sidebarPanels } from '../workspace/layout/panels.tsx';
import type { LayoutName } from '../workspace/layout/workspace-layout.ts';
import { paletteKeys } from './palette-keys.ts';
import { isPhone } from '../workspace/layout/phone.ts';
import { startCopyingCodeLink } from '../workspace/sharing/share-dialog.tsx';
import { getWorkspacePath, type WorkspaceIdentity } from '../workspace/sharing/identity.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Actions of the screen around a workspace. */
export interface CommandContext {
  readonly workspace: Workspace;
  save(): void;
  fork(): void;
  goTo(address: string): void;
}

/** A command that can be run by name and, if it has any, by its keys. */
interface WorkspaceCommand {
  /** Stored in preferences, so it never changes. Unique across workspace and editor commands. */
  readonly id: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly mac?: readonly string[];
  /** Hides the command on phones, where only one pane is visible at a time. */
  readonly desktopOnly?: true;
  /** Whether the palette lists the command for what is open; without it, always. */
  isListed?(identity: WorkspaceIdentity): boolean;
  run(context: CommandContext): void;
}

/** All workspace commands. The editor has its own table. */
export const workspaceCommands: readonly WorkspaceCommand[] = [
  {
    id: 'commands',
    name: 'Show all commands',
    keys: paletteKeys,
    run: ({ workspace }) => workspace.layout.dialog.set('commands'),
  },
  {
    id: 'settings',
    name: 'Settings',
    keys: ['Mod-,'],
    run: ({ workspace }) => workspace.layout.dialog.set('settings'),
  },
  {
    id: 'shortcuts',
    name: 'Keyboard shortcuts',
    keys: ['?'],
    run: ({ workspace }) => workspace.layout.dialog.set('keys'),
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
    id: 'saveVersion',
    name: 'Save version…',
    keys: [],
    run: ({ workspace }) => startSavingVersion(workspace),
  },
  {
    id: 'publishVersion',
    name: 'Publish version',
    keys: [],
    run: ({ workspace }) => workspace.layout.dialog.set('share'),
  },
  {
    id: 'share',
    name: 'Share',
    keys: ['Mod-Shift-s'],
    run: ({ workspace }) => workspace.layout.dialog.set('share'),
  },
  {
    id: 'copyCodeLink',
    name: 'Copy link with code',
    keys: [],
    run: ({ workspace }) => startCopyingCodeLink(workspace.session),
  },
  {
    id: 'details',
    name: 'Details',
    keys: [],
    isListed: (identity) => identity.kind === 'project' && identity.role === 'owner',
    run: ({ workspace }) => workspace.layout.dialog.set('details'),
  },
  {
    id: 'permissions',
    name: 'Permissions',
    keys: [],
    run: ({ workspace }) => workspace.layout.dialog.set('permissions'),
  },
  {
    id: 'addToCollection',
    name: 'Add to collection',
    keys: [],
    isListed: (identity) => identity.kind === 'project',
    run: ({ workspace }) => workspace.layout.dialog.set('collections'),
  },
  {
    id: 'forks',
    name: 'Forks',
    keys: [],
    isListed: (identity) => identity.kind === 'project',
    run: ({ workspace, goTo }) =>
      goTo(`${getWorkspacePath(workspace.session.identity.get())}/forks`),
  },
  {
    id: 'goToFile',
    name: 'Go to file',
    keys: ['Mod-p'],
    run: ({ workspace }) => workspace.layout.dialog.set('file'),
  },
  { id: 'newFile', name: 'New file', keys: [], run: ({ workspace }) => startNewFile(workspace) },
  { id: 'upload', name: 'Upload', keys: [], run: ({ workspace }) => workspace.tree.upload('') },
  {
    id: 'closeFile',
    name: 'Close file',
    keys: [],
    run: ({ workspace }) => {
      const { active } = workspace.openFiles.activeTabs.get();
      if (active) workspace.openFiles.close(active);
    },
  },
  { id: 'newProject', name: 'New project', keys: [], run: ({ goTo }) => goTo('/new') },
  { id: 'import', name: 'Import', keys: [], run: () => importRequest.set({}) },
  {
    id: 'download',
    name: 'Download',
    keys: [],
    run: ({ workspace }) => workspace.layout.dialog.set('download'),
  },
  { id: 'yourWork', name: 'Your work', keys: [], run: ({ goTo }) => goTo('/work') },

  {
    id: 'nextProblem',
    name: 'Go to next problem',
    keys: ['F8'],
    run: ({ workspace }) => workspace.code.problems.goToNext(1),
  },
  {
    id: 'previousProblem',
    name: 'Go to previous problem',
    keys: ['Shift-F8'],
    run: ({ workspace }) => workspace.code.problems.goToNext(-1),
  },
  {
    id: 'sidebar',
    name: 'Toggle sidebar',
    keys: ['Mod-b'],
    run: ({ workspace: { layout } }) =>
      layout.showSidebar(layout.current.get().panel === null ? 'files' : null),
  },
  ...sidebarPanels.map(({ name: panel, command }): WorkspaceCommand => ({
    keys: [],
    ...command,
    run: ({ workspace: { layout } }) => layout.showAndFocus(panel, () => layout.showSidebar(panel)),
  })),
  {
    id: 'resultPane',
    name: 'Toggle result',
    keys: ['Mod-j'],
    run: ({ workspace }) => toggleResult(workspace),
  },
  ...bottomPanelTabs.map(({ name: tab, command, isToggled = false }): WorkspaceCommand => ({
    keys: [],
    ...command,
    run({ workspace: { layout } }) {
      if (isToggled && layout.current.get().dock === tab) layout.showBottomPanel(null);
      else layout.showAndFocus(isToggled ? tab : nameOfTab(tab), () => layout.showBottomPanel(tab));
    },
  })),
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
    mac: ['Ctrl-Shift-w'],
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

function toggleResult({ layout, openFiles: { view } }: Workspace): void {
  if (isPhone()) view.set(view.get() === 'code' ? 'result' : 'code');
  else layout.setLayout(layout.current.get().layout === 'code' ? 'side' : 'code');
}

function layoutCommand(layout: LayoutName, name: string): WorkspaceCommand {
  return {
    id: `${layout}Layout`,
    name,
    keys: [],
    desktopOnly: true,
    run: ({ workspace }) => workspace.layout.setLayout(layout),
  };
}

function tabCommand(index: number): WorkspaceCommand {
  return {
    id: `tab${index + 1}`,
    name: `Go to tab ${index + 1}`,
    keys: [`Alt-${index + 1}`],
    mac: [`Ctrl-${index + 1}`],
    run: ({ workspace }) => {
      const tab = workspace.openFiles.activeTabs.get().open[index];
      if (tab) workspace.openFiles.activate(tab);
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
  workspace.layout.showSidebar('files');
  workspace.tree.naming.set({ kind: 'file', folder: '' });
}
