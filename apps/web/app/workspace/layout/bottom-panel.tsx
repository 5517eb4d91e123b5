import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '../../ui/icon-button.tsx';
import { keepToastsAbove } from '../../ui/toast.tsx';
import type { BottomPanelTab } from './workspace-layout.ts';
import { countIssues } from '../accessibility/accessibility-messages.ts';
import { AccessibilityView } from '../accessibility/accessibility-view.tsx';
import { ConsoleView } from '../console/console-view.tsx';
import { countEntries } from '../console/console-log.ts';
import { DevtoolsView } from '../devtools/devtools-view.tsx';
import styles from './bottom-panel.module.css';
import { NetworkView } from '../network/network-view.tsx';
import { ProblemsView } from '../problems/problems-view.tsx';
import { severityOf } from '../problems/problems.ts';
import { useStore } from '../value-store.ts';
import {
  formatTestBadge,
  countTests,
  formatTestCounts as describeTests,
} from '../tests/test-rows.ts';
import { TestsActions, TestsView } from '../tests/tests-view.tsx';
import type { Workspace } from '../workspace.ts';

/** Bottom panel: console, problems, tests and other tools, below the editors and the preview. */
export function BottomPanel({ workspace }: { workspace: Workspace }) {
  const workspaceLayout = useStore(workspace.layout);
  // Stays mounted once opened, since reopening would lose its state.
  const [hasDevtools, setHasDevtools] = useState(false);
  if (workspaceLayout.dock === 'devtools' && !hasDevtools) setHasDevtools(true);
  const open = (dock: BottomPanelTab | null) => {
    const isToggled = (dock === null) !== (workspaceLayout.dock === null);
    flushSync(() => workspace.layout.set({ ...workspaceLayout, dock }));
    if (isToggled) restoreFocus(dock !== null);
  };
  return (
    <Tabs.Root
      ref={keepToastsAbove}
      value={workspaceLayout.dock}
      onValueChange={(value: BottomPanelTab) => open(value)}
      className={styles.dock}
      render={<section aria-label="Panel" />}
    >
      <div className={styles.strip}>
        <DockTabs workspace={workspace} onSelect={open} />
        {workspaceLayout.dock === 'tests' && <TestsActions workspace={workspace} />}
        <IconButton
          label={workspaceLayout.dock ? 'Close panel' : 'Open panel'}
          size="small"
          onClick={() => open(workspaceLayout.dock ? null : 'console')}
        >
          {workspaceLayout.dock ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
        </IconButton>
      </div>
      {workspaceLayout.dock && (
        <>
          <Tabs.Panel value="console" className={styles.panel} tabIndex={-1}>
            <ConsoleView workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="problems" className={styles.panel} tabIndex={-1}>
            <ProblemsView workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="tests" className={styles.panel} tabIndex={-1}>
            <TestsView workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="accessibility" className={styles.panel} tabIndex={-1}>
            <AccessibilityView workspace={workspace} />
          </Tabs.Panel>
          <Tabs.Panel value="network" className={styles.panel} tabIndex={-1}>
            <NetworkView workspace={workspace} />
          </Tabs.Panel>
          {hasDevtools && (
            <Tabs.Panel value="devtools" keepMounted className={styles.panel} tabIndex={-1}>
              <DevtoolsView workspace={workspace} />
            </Tabs.Panel>
          )}
        </>
      )}
    </Tabs.Root>
  );
}

/**
 * Restores the focus: opening and closing move the panel in the document, which removes the pressed
 * button.
 */
function restoreFocus(isOpen: boolean): void {
  const control = isOpen ? '[role=tab][aria-selected=true]' : '[aria-label="Open panel"]';
  document.querySelector<HTMLElement>(`section[aria-label=Panel] ${control}`)?.focus();
}

interface DockTabsProps {
  workspace: Workspace;
  onSelect: (tab: BottomPanelTab) => void;
}

function DockTabs({ workspace, onSelect }: DockTabsProps) {
  const errors = countEntries(useStore(workspace.preview.console).lines, 'error');
  const problems = useStore(workspace.problems.all);
  const tests = countTests(useStore(workspace.tests.report));
  const issues = countIssues(useStore(workspace.preview.accessibility));
  const tabs: readonly DockTabProps[] = [
    { tab: 'console', label: 'Console', ...formatBadge(errors, 'error') },
    {
      tab: 'problems',
      label: 'Problems',
      ...formatBadge(problems.length, 'problem'),
      ...(problems.every((each) => severityOf(each) !== 'error') && { tone: 'warning' }),
    },
    {
      tab: 'tests',
      label: 'Tests',
      description: describeTests(tests),
      count: formatTestBadge(tests),
      ...(tests.failed === 0 && { tone: 'good' }),
    },
    { tab: 'accessibility', label: 'Accessibility', ...formatBadge(issues, 'issue') },
    { tab: 'network', label: 'Network' },
    { tab: 'devtools', label: 'DevTools' },
  ];
  return (
    <Tabs.List aria-label="Panel" className={styles.tabs}>
      {tabs.map(({ tab, label, description, count, tone }) => (
        <Tabs.Tab
          key={tab}
          value={tab}
          // Overrides the accessible name, which would include the badge's generated content.
          aria-label={label}
          aria-description={description}
          data-count={count}
          data-tone={tone}
          className={styles.tab}
          // Also opens the panel if this tab is already the selected one.
          onClick={() => onSelect(tab)}
        >
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}

interface DockTabProps {
  readonly tab: BottomPanelTab;
  readonly label: string;
  /** Badge text, repeated in the description. */
  readonly count?: string | undefined;
  readonly description?: string | undefined;
  /** Color of the badge when nothing has failed. */
  readonly tone?: 'good' | 'warning';
}

function formatBadge(count: number, noun: string): Pick<DockTabProps, 'count' | 'description'> {
  if (count === 0) return {};
  return {
    count: count > 99 ? '99+' : String(count),
    description: count === 1 ? `1 ${noun}` : `${count} ${noun}s`,
  };
}
