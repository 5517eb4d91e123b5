import { useMemo, type KeyboardEvent } from 'react';
import { ConsoleBar } from './console-bar.tsx';
import { ConsoleContext, type ConsoleActs } from './console-context.ts';
import { ConsoleList } from './console-list.tsx';
import { ConsolePrompt } from './console-prompt.tsx';
import styles from './console-view.module.css';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Console tab: log and input. */
export function ConsoleView({ workspace }: { workspace: Workspace }) {
  const { result } = workspace;
  const actions = useMemo<ConsoleActs>(
    () => ({
      goTo: workspace.openFiles.goTo,
      ask: (ask, document) => result.askPage(ask, document),
    }),
    [workspace, result],
  );
  const handleKey = (event: KeyboardEvent) => {
    const isClear =
      (event.ctrlKey && event.key === 'l') ||
      ((event.ctrlKey || event.metaKey) && event.key === 'k');
    if (!isClear || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    result.clearConsole();
  };
  return (
    <ConsoleContext value={actions}>
      <div className={styles.console} onKeyDownCapture={handleKey}>
        <ConsoleBar workspace={workspace} />
        <ConsoleList workspace={workspace} />
        <UnresponsiveNote workspace={workspace} />
        <ConsolePrompt workspace={workspace} />
      </div>
    </ConsoleContext>
  );
}

function UnresponsiveNote({ workspace }: { workspace: Workspace }) {
  const { status } = useSource(workspace.result.state);
  return (
    status === 'stalled' && (
      <p className={styles.unresponsive}>
        The page isn't responding. Everything it logged so far is shown here.
      </p>
    )
  );
}
