import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { Tabs } from '@base-ui/react/tabs';
import { IconButton } from '../ui/icon-button.tsx';
import type { DockTab } from './arrangement.ts';
import { ConsoleActions, ConsoleView } from './console-view.tsx';
import { countLevel } from './console-log.ts';
import styles from './dock.module.css';
import { ProblemsView } from './problems-view.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Console and Problems beneath the code and the result. */
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
        {arrangement.dock === 'console' && <ConsoleActions workspace={workspace} />}
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
  const problems = useSource(workspace.result.problems).length;
  return (
    <Tabs.List aria-label="Dock" className={styles.tabs}>
      {/* A press opens the dock also where this tab was the last one seen in it. */}
      <Tabs.Tab
        value="console"
        aria-label="Console"
        className={styles.tab}
        onClick={() => onPress('console')}
      >
        Console
        {errors > 0 && <Count count={errors} words="errors" />}
      </Tabs.Tab>
      <Tabs.Tab
        value="problems"
        aria-label="Problems"
        className={styles.tab}
        onClick={() => onPress('problems')}
      >
        Problems
        {problems > 0 && <Count count={problems} words="problems" />}
      </Tabs.Tab>
    </Tabs.List>
  );
}

function Count({ count, words }: { count: number; words: string }) {
  return (
    <span className={styles.count} title={`${count} ${words}`}>
      {count > 99 ? '99+' : count}
    </span>
  );
}
