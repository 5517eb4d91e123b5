/** The panels of the sidebar and the tabs of the bottom panel. */
import Files from 'lucide-react/icons/files';
import Globe from 'lucide-react/icons/globe';
import History from 'lucide-react/icons/history';
import Package from 'lucide-react/icons/package';
import Search from 'lucide-react/icons/search';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import type { ReactNode } from 'react';
import { loadable } from '../../ui/loadable.tsx';
import { IssueBadge } from '../accessibility/issue-badge.tsx';
import { ConsoleView, ErrorBadge } from '../console/console-view.tsx';
import { DevtoolsView } from '../devtools/devtools-view.tsx';
import { ProblemBadge, ProblemsView } from '../problems/problems-view.tsx';
import { SearchPanel } from '../search/search-panel.tsx';
import { TestBadge } from '../tests/test-badge.tsx';
import { FilesPanel } from '../tree/files-panel.tsx';
import { SidebarPanel } from './sidebar-panel.tsx';
import type { Workspace } from '../workspace.ts';
import type { RenderTab } from './badge.ts';
import type { WorkspaceLayout } from './workspace-layout.ts';

/** Renders a component with the parts of the workspace that it needs. */
type Render = (workspace: Workspace) => ReactNode;

interface Panel {
  /** Stored with layouts, so it never changes. */
  readonly name: string;
  readonly label: string;
  readonly render: Render;
  /** The command that shows the panel. */
  readonly command: {
    /** Stored in preferences, so it never changes. */
    readonly id: string;
    readonly name: string;
    readonly keys?: readonly string[];
  };
}

interface SidebarPanel extends Panel {
  readonly icon: ReactNode;
}

interface BottomPanelTab extends Panel {
  /** Renders a component that renders its child with the tab's badge. */
  readonly renderBadge?: (workspace: Workspace, renderTab: RenderTab) => ReactNode;
  /** Buttons beside the tabs while this one is open. */
  readonly renderActions?: Render;
  /** Keeps the content mounted while another tab is open, once it was opened. */
  readonly staysMounted?: true;
  /** The command focuses the content's main control instead of the tab, and closes an open tab. */
  readonly isToggled?: true;
}

const importPackages = () => import('../../packages/packages-panel.tsx');
const importResources = () => import('../resources/resources-panel.tsx');
const importHistory = () => import('../history/history-view.tsx');
const importTests = () => import('../tests/tests-view.tsx');
const importAccessibility = () => import('../accessibility/accessibility-view.tsx');
const importNetwork = () => import('../network/network-view.tsx');

const PackagesPanel = loadable(importPackages);
const ResourcesPanel = loadable(importResources);
const HistoryView = loadable(importHistory);
const TestsView = loadable(importTests);
const TestsActions = loadable(
  async () => {
    const { TestsActions: actions } = await importTests();
    return { default: actions };
  },
  { isSilent: true },
);
const AccessibilityView = loadable(importAccessibility);
const NetworkView = loadable(importNetwork);

/** Loads the panels, so that they also open without a connection. */
export function preloadPanels(): void {
  const imports = [
    importPackages,
    importResources,
    importHistory,
    importTests,
    importAccessibility,
    importNetwork,
  ];
  for (const load of imports) loadWithRetries<object>(load).catch(() => undefined);
}

/** Panels of the sidebar, in the order of the activity bar. */
export const sidebarPanels: readonly SidebarPanel[] = [
  {
    name: 'files',
    label: 'Files',
    icon: <Files aria-hidden />,
    render: ({ tree, openFiles, layout }) => <FilesPanel {...{ tree, openFiles, layout }} />,
    command: { id: 'filesPanel', name: 'Show files' },
  },
  {
    name: 'search',
    label: 'Search',
    icon: <Search aria-hidden />,
    render: ({ search, openFiles, layout }) => <SearchPanel {...{ search, openFiles, layout }} />,
    command: { id: 'searchFiles', name: 'Search in files', keys: ['Mod-Shift-f'] },
  },
  {
    name: 'packages',
    label: 'Packages',
    icon: <Package aria-hidden />,
    render: ({ packages, preferences, layout, session, cancelPackages }) => (
      <SidebarPanel title="Packages" layout={layout}>
        <PackagesPanel
          {...{ packages, preferences, layout }}
          openState={session.openState}
          onCancel={cancelPackages}
        />
      </SidebarPanel>
    ),
    command: { id: 'packagesPanel', name: 'Show packages' },
  },
  {
    name: 'resources',
    label: 'External resources',
    icon: <Globe aria-hidden />,
    render: ({ session, search, fileOperations, packages, layout, cancelPackages }) => (
      <SidebarPanel title="External resources" layout={layout}>
        <ResourcesPanel
          {...{ session, fileOperations, packages, layout }}
          texts={search.texts}
          onCancel={cancelPackages}
        />
      </SidebarPanel>
    ),
    command: { id: 'resourcesPanel', name: 'Show external resources' },
  },
  {
    name: 'history',
    label: 'History',
    icon: <History aria-hidden />,
    render: ({ loadHistory, session, layout, openFiles, packages }) => (
      <SidebarPanel title="History" layout={layout}>
        <HistoryView {...{ loadHistory, session, layout, openFiles, packages }} />
      </SidebarPanel>
    ),
    command: { id: 'historyPanel', name: 'Show history' },
  },
];

/** Tabs of the bottom panel, in their order. */
export const bottomPanelTabs: readonly BottomPanelTab[] = [
  {
    name: 'console',
    label: 'Console',
    render: ({ preview, openFiles, layout }) => <ConsoleView {...{ preview, openFiles, layout }} />,
    renderBadge: ({ preview }, renderTab) => <ErrorBadge preview={preview}>{renderTab}</ErrorBadge>,
    isToggled: true,
    command: { id: 'console', name: 'Toggle console', keys: ['Ctrl-`'] },
  },
  {
    name: 'problems',
    label: 'Problems',
    render: ({ code: { problems }, openFiles }) => <ProblemsView {...{ problems, openFiles }} />,
    renderBadge: ({ code: { problems } }, renderTab) => (
      <ProblemBadge problems={problems}>{renderTab}</ProblemBadge>
    ),
    command: { id: 'problemsDock', name: 'Show problems', keys: ['Mod-Shift-m'] },
  },
  {
    name: 'tests',
    label: 'Tests',
    render: ({ tests, tree, openFiles }) => <TestsView {...{ tests, tree, openFiles }} />,
    renderBadge: ({ tests }, renderTab) => <TestBadge tests={tests}>{renderTab}</TestBadge>,
    renderActions: ({ tests, tree }) => <TestsActions {...{ tests, tree }} />,
    command: { id: 'testsDock', name: 'Show tests' },
  },
  {
    name: 'accessibility',
    label: 'Accessibility',
    render: ({ preview, openFiles }) => <AccessibilityView {...{ preview, openFiles }} />,
    renderBadge: ({ preview }, renderTab) => <IssueBadge preview={preview}>{renderTab}</IssueBadge>,
    command: { id: 'accessibilityDock', name: 'Show accessibility' },
  },
  {
    name: 'network',
    label: 'Network',
    render: ({ preview, openFiles }) => <NetworkView {...{ preview, openFiles }} />,
    command: { id: 'networkDock', name: 'Show network' },
  },
  {
    name: 'devtools',
    label: 'DevTools',
    render: ({ preview }) => <DevtoolsView preview={preview} />,
    staysMounted: true,
    command: { id: 'devtoolsDock', name: 'Show DevTools' },
  },
];

/** Returns a stored layout without panels that don't exist: another build may have stored it. */
export function withKnownPanels(layout: WorkspaceLayout): WorkspaceLayout {
  const { panel, dock } = layout;
  const isPanelKnown = panel === null || sidebarPanels.some(({ name }) => name === panel);
  const isDockKnown = dock === null || bottomPanelTabs.some(({ name }) => name === dock);
  if (isPanelKnown && isDockKnown) return layout;
  return { ...layout, panel: isPanelKnown ? panel : null, dock: isDockKnown ? dock : null };
}
