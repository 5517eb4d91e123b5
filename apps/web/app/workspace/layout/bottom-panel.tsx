import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { Tabs } from '@base-ui/react/tabs';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '../../ui/icon-button.tsx';
import { keepToastsAbove } from '../../ui/toast.tsx';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';
import type { Badge, BadgeProps } from './badge.ts';
import styles from './bottom-panel.module.css';
import { usePanelFocus } from './panel-focus.ts';
import { bottomPanelTabs } from './panels.tsx';

/** Name of the button that opens and closes the panel, for `workspace.panelFocus`. */
const toggleName = 'bottom panel';

/** Bottom panel: console, problems, tests and other tools, below the editors and the preview. */
export function BottomPanel({ workspace }: { workspace: Workspace }) {
  const { dock } = useStore(workspace.layout);
  const [visited, setVisited] = useState<readonly string[]>([]);
  if (dock !== null && !visited.includes(dock)) setVisited([...visited, dock]);
  const toggle = useRef<HTMLButtonElement>(null);
  usePanelFocus(workspace, toggleName, () => toggle.current);
  const open = (name: string | null) =>
    flushSync(() => {
      // Opening and closing move the panel in the document, which removes the focused element.
      if ((name === null) !== (dock === null))
        workspace.panelFocus.set(name === null ? toggleName : nameOfTab(name));
      workspace.showBottomPanel(name);
    });
  const Actions = bottomPanelTabs.find(({ name }) => name === dock)?.Actions;
  return (
    <Tabs.Root
      ref={keepToastsAbove}
      value={dock}
      onValueChange={(name: string) => open(name)}
      className={styles.dock}
      render={<section aria-label="Panel" />}
    >
      <div className={styles.strip}>
        <Tabs.List aria-label="Panel" className={styles.tabs}>
          {bottomPanelTabs.map(({ name, label, WithBadge = WithoutBadge }) => (
            <WithBadge key={name} workspace={workspace}>
              {(badge) => <PanelTab {...{ name, label, badge, workspace }} onSelect={open} />}
            </WithBadge>
          ))}
        </Tabs.List>
        {Actions && <Actions workspace={workspace} />}
        <IconButton
          ref={toggle}
          label={dock === null ? 'Open panel' : 'Close panel'}
          size="small"
          onClick={() => open(dock === null ? 'console' : null)}
        >
          {dock === null ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
        </IconButton>
      </div>
      {dock !== null &&
        bottomPanelTabs.map(
          ({ name, Content, staysMounted = false }) =>
            (name === dock || (staysMounted && visited.includes(name))) && (
              <Tabs.Panel
                key={name}
                value={name}
                keepMounted={staysMounted}
                className={styles.panel}
                tabIndex={-1}
              >
                <Content workspace={workspace} />
              </Tabs.Panel>
            ),
        )}
    </Tabs.Root>
  );
}

/** Name of a tab, for `workspace.panelFocus`. */
export function nameOfTab(name: string): string {
  return `${name} tab`;
}

function WithoutBadge({ children }: BadgeProps) {
  return children({});
}

interface PanelTabProps {
  name: string;
  label: string;
  badge: Badge;
  workspace: Workspace;
  onSelect: (name: string) => void;
}

function PanelTab({ name, label, badge, workspace, onSelect }: PanelTabProps) {
  const element = useRef<HTMLButtonElement>(null);
  usePanelFocus(workspace, nameOfTab(name), () => element.current);
  return (
    <Tabs.Tab
      ref={element}
      value={name}
      // Overrides the accessible name, which would include the badge's generated content.
      aria-label={label}
      aria-description={badge.description}
      data-count={badge.count}
      data-tone={badge.tone}
      className={styles.tab}
      // Also opens the panel if this tab is already the selected one.
      onClick={() => onSelect(name)}
    >
      {label}
    </Tabs.Tab>
  );
}
