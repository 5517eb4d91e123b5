import { useMemo, type KeyboardEvent } from 'react';
import { createBadge, type RenderTab } from '../layout/badge.ts';
import { ConsoleBar } from './console-bar.tsx';
import { ConsoleContext, type ConsoleActions } from './console-context.ts';
import { countEntries } from './console-log.ts';
import { ConsoleList } from './console-list.tsx';
import { ConsolePrompt } from './console-prompt.tsx';
import styles from './console-view.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { LayoutController } from '../layout/layout-controller.ts';
import { useStore } from '../value-store.ts';

interface ErrorBadgeProps {
  preview: PreviewController;
  children: RenderTab;
}

/** Number of errors of the running page, without those of earlier ones that a preserved log has. */
export function ErrorBadge({ preview, children }: ErrorBadgeProps) {
  const { lines, document } = useStore(preview.console);
  const current = lines.filter((line) => line.document === document);
  return children(createBadge(countEntries(current, 'error'), 'error'));
}

interface ConsoleViewProps {
  preview: PreviewController;
  openFiles: OpenFiles;
  layout: LayoutController;
}

/** Console tab: log and input. */
export function ConsoleView({ preview, openFiles, layout }: ConsoleViewProps) {
  const actions = useMemo<ConsoleActions>(
    () => ({
      goTo: openFiles.goTo,
      query: (objectQuery, document) => preview.queryPage(objectQuery, document),
    }),
    [openFiles, preview],
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
        <ConsoleBar preview={preview} />
        <ConsoleList preview={preview} />
        <UnresponsiveNote preview={preview} />
        <ConsolePrompt preview={preview} layout={layout} />
      </div>
    </ConsoleContext>
  );
}

function UnresponsiveNote({ preview }: { preview: PreviewController }) {
  const { status } = useStore(preview.state);
  return (
    status === 'unresponsive' && (
      <p className={styles.unresponsive}>
        The page isn’t responding. Everything it logged so far is shown here.
      </p>
    )
  );
}
