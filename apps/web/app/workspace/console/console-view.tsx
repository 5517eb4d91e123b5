import { useMemo, type KeyboardEvent } from 'react';
import { createBadge, type BadgeProps } from '../layout/badge.ts';
import { ConsoleBar } from './console-bar.tsx';
import { ConsoleContext, type ConsoleActions } from './console-context.ts';
import { countEntries } from './console-log.ts';
import { ConsoleList } from './console-list.tsx';
import { ConsolePrompt } from './console-prompt.tsx';
import styles from './console-view.module.css';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

/** Number of errors in the console. */
export function ErrorBadge({ workspace, children }: BadgeProps) {
  const { lines } = useStore(workspace.preview.console);
  return children(createBadge(countEntries(lines, 'error'), 'error'));
}

/** Console tab: log and input. */
export function ConsoleView({ workspace }: { workspace: Workspace }) {
  const { preview } = workspace;
  const actions = useMemo<ConsoleActions>(
    () => ({
      goTo: workspace.openFiles.goTo,
      query: (objectQuery, document) => preview.queryPage(objectQuery, document),
    }),
    [workspace, preview],
  );
  const handleKey = (event: KeyboardEvent) => {
    const isClear =
      (event.ctrlKey && event.key === 'l') ||
      ((event.ctrlKey || event.metaKey) && event.key === 'k');
    if (!isClear || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    preview.clearConsole();
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
  const { status } = useStore(workspace.preview.state);
  return (
    status === 'unresponsive' && (
      <p className={styles.unresponsive}>
        The page isn’t responding. Everything it logged so far is shown here.
      </p>
    )
  );
}
