import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { Tabs } from '@base-ui/react/tabs';
import { IconButton } from '../ui/icon-button.tsx';
import type { DockTab } from './arrangement.ts';
import { countFound } from './accessibility-words.ts';
import { AccessibilityView } from './accessibility-view.tsx';
import { ConsoleView } from './console-view.tsx';
import { countLevel } from './console-log.ts';
import styles from './dock.module.css';
import { NetworkView } from './network-view.tsx';
import { ProblemsView } from './problems-view.tsx';
import { useSource } from './source.ts';
import { countSigns, countTests, countWords as testWords } from './test-rows.ts';
import { TestsActions, TestsView } from './tests-view.tsx';
import type { Workspace } from './workspace.ts';

/** What the result says and asks for, and what is wrong with it, beneath the code and the result. */
export function Dock({ workspace }: { workspace: Workspace }) {
  const arrangement = useSource(workspace.arrangement);
  const open = (dock: DockTab | null) => workspace.arrangement.set({ ...arrangement, dock });
  return (
    <Tabs.Root
      value={arrangement.dock}
      onValueChange={(value: DockTab) => open(value)}
      className={styles.dock}
      render={<section aria-label="Dock" />}
    >
      <div className={styles.strip}>
        <DockTabs workspace={workspace} onPress={open} />
        {arrangement.dock === 'tests' && <TestsActions workspace={workspace} />}
        <IconButton
          label={arrangement.dock ? 'Close dock' : 'Open dock'}
          size="small"
          onClick={() => open(arrangement.dock ? null : 'console')}
        >
          {arrangement.dock ? <ChevronDown aria-hidden /> : <ChevronUp aria-hidden />}
        </IconButton>
      </div>
      {arrangement.dock && (
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
        </>
      )}
    </Tabs.Root>
  );
}

interface DockTabsProps {
  workspace: Workspace;
  onPress: (tab: DockTab) => void;
}

function DockTabs({ workspace, onPress }: DockTabsProps) {
  const errors = countLevel(useSource(workspace.result.console).lines, 'error');
  const problems = useSource(workspace.problems).length;
  const tests = countTests(useSource(workspace.tests.report));
  const found = countFound(useSource(workspace.result.accessibility));
  return (
    <Tabs.List aria-label="Dock" className={styles.tabs}>
      {/* A press opens the dock also where this tab was the last one seen in it. */}
      <Tabs.Tab
        value="console"
        aria-label="Console"
        aria-description={countWords(errors, 'error')}
        data-count={countText(errors)}
        className={styles.tab}
        onClick={() => onPress('console')}
      >
        Console
      </Tabs.Tab>
      <Tabs.Tab
        value="problems"
        aria-label="Problems"
        aria-description={countWords(problems, 'problem')}
        data-count={countText(problems)}
        className={styles.tab}
        onClick={() => onPress('problems')}
      >
        Problems
      </Tabs.Tab>
      <Tabs.Tab
        value="tests"
        aria-label="Tests"
        aria-description={testWords(tests)}
        data-count={countSigns(tests)}
        data-good={tests.failed === 0 || undefined}
        className={styles.tab}
        onClick={() => onPress('tests')}
      >
        Tests
      </Tabs.Tab>
      <Tabs.Tab
        value="accessibility"
        aria-label="Accessibility"
        aria-description={countWords(found, 'finding')}
        data-count={countText(found)}
        className={styles.tab}
        onClick={() => onPress('accessibility')}
      >
        Accessibility
      </Tabs.Tab>
      <Tabs.Tab
        value="network"
        aria-label="Network"
        className={styles.tab}
        onClick={() => onPress('network')}
      >
        Network
      </Tabs.Tab>
    </Tabs.List>
  );
}

/** In the tab's picture and its description. The picture would be in its name, were it not given. */
function countText(count: number): string | undefined {
  if (count === 0) return undefined;
  return count > 99 ? '99+' : String(count);
}

function countWords(count: number, word: string): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
