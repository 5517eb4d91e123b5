import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { Tabs } from '@base-ui/react/tabs';
import { Fragment, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { IconButton } from '../../ui/icon-button.tsx';
import { keepToastsAbove } from '../../ui/toast.tsx';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';
import type { Badge, RenderTab } from './badge.ts';
import styles from './bottom-panel.module.css';
import { useRequestedFocus, type LayoutController } from './layout-controller.ts';
import { bottomPanelTabs } from './panels.tsx';

/** Name of the button that opens and closes the panel, for `LayoutController.requestedFocus`. */
const toggleName = 'bottom panel';

/** Bottom panel: console, problems, tests and other tools, below the editors and the preview. */
export function BottomPanel({ workspace }: { workspace: Workspace }) {
  const { layout } = workspace;
  const { dock } = useStore(layout.current);
  const [visited, setVisited] = useState<readonly string[]>([]);
  if (dock !== null && !visited.includes(dock)) setVisited([...visited, dock]);
  const toggle = useRef<HTMLButtonElement>(null);
  useRequestedFocus(layout, toggleName, () => toggle.current);
  const open = (name: string | null) =>
    flushSync(() => {
      // Opening and closing move the panel in the document, which removes the focused element.
      if ((name === null) !== (dock === null))
        layout.requestedFocus.set(name === null ? toggleName : nameOfTab(name));
      layout.showBottomPanel(name);
    });
  const shown = bottomPanelTabs.find(({ name }) => name === dock);
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
          {bottomPanelTabs.map(({ name, label, renderBadge = withoutBadge }) => (
            <Fragment key={name}>
              {renderBadge(workspace, (badge) => (
                <PanelTab {...{ name, label, badge, layout }} onSelect={open} />
              ))}
            </Fragment>
          ))}
        </Tabs.List>
        {shown?.renderActions?.(workspace)}
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
          ({ name, render, staysMounted = false }) =>
            (name === dock || (staysMounted && visited.includes(name))) && (
              <Tabs.Panel
                key={name}
                value={name}
                keepMounted={staysMounted}
                className={styles.panel}
                tabIndex={-1}
              >
                {render(workspace)}
              </Tabs.Panel>
            ),
        )}
    </Tabs.Root>
  );
}

/** Name of a tab, for `LayoutController.requestedFocus`. */
export function nameOfTab(name: string): string {
  return `${name} tab`;
}

function withoutBadge(_: Workspace, renderTab: RenderTab) {
  return renderTab({});
}

interface PanelTabProps {
  name: string;
  label: string;
  badge: Badge;
  layout: LayoutController;
  onSelect: (name: string) => void;
}

function PanelTab({ name, label, badge, layout, onSelect }: PanelTabProps) {
  const element = useRef<HTMLButtonElement>(null);
  useRequestedFocus(layout, nameOfTab(name), () => element.current);
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
