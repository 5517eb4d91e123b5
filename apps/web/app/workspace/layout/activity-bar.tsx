import PanelLeft from 'lucide-react/icons/panel-left';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useStore } from '../value-store.ts';
import styles from '../workspace-screen.module.css';
import type { LayoutController } from './layout-controller.ts';
import { sidebarPanels } from './panels.tsx';

/** Activity bar: buttons of the sidebar panels, of which at most one is open. */
export function ActivityBar({ layout }: { layout: LayoutController }) {
  return (
    <nav aria-label="Panels" className={styles.rail}>
      {sidebarPanels.map((panel) => (
        <PanelButton key={panel.name} layout={layout} panel={panel} />
      ))}
    </nav>
  );
}

interface PanelButtonProps {
  layout: LayoutController;
  panel: (typeof sidebarPanels)[number];
}

/** Opens a sidebar panel, or closes it. */
function PanelButton({ layout, panel: { name, label, icon } }: PanelButtonProps) {
  const { panel } = useStore(layout.current);
  return (
    <IconButton label={label} pressed={panel === name} onClick={() => layout.toggleSidebar(name)}>
      {icon}
    </IconButton>
  );
}

/** The activity bar on a phone, beside the file tabs: a button for Files, a menu for the others. */
export function MobilePanelButtons({ layout }: { layout: LayoutController }) {
  const [files, ...others] = sidebarPanels;
  return (
    <>
      {files && <PanelButton layout={layout} panel={files} />}
      <Menu
        align="start"
        trigger={
          <IconButton label="More panels">
            <PanelLeft aria-hidden />
          </IconButton>
        }
      >
        {others.map(({ name, label, icon }) => (
          <MenuItem key={name} icon={icon} onSelect={() => layout.toggleSidebar(name)}>
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
