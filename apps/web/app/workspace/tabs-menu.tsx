import Ellipsis from 'lucide-react/icons/ellipsis';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import type { Side } from './open-files.ts';
import { useSource } from './source.ts';
import styles from './tab-strip.module.css';
import { tabsToClose, type Closing } from './tabs.ts';
import type { Workspace } from './workspace.ts';

interface TabsMenuProps {
  workspace: Workspace;
  side: Side;
}

const closings: readonly { which: Closing; label: string }[] = [
  { which: 'this', label: 'Close' },
  { which: 'others', label: 'Close others' },
  { which: 'right', label: 'Close to the right' },
  { which: 'all', label: 'Close all' },
];

/** What can be done to the tab that is seen, and to those beside it. */
export function TabsMenu({ workspace: { openFiles }, side }: TabsMenuProps) {
  const tabs = useSource(openFiles.sides[side]);
  const isSplit = useSource(openFiles.isSplit);
  const closed = useSource(openFiles.closed);
  const { active, open, preview, pinned } = tabs;
  const at = active === undefined ? -1 : open.indexOf(active);
  const on = (act: (path: string) => void) => () => active !== undefined && act(active);

  return (
    <Menu
      trigger={
        <IconButton
          label={side === 0 ? 'More for tabs' : 'More for tabs, second side'}
          size="small"
        >
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {active !== undefined && (
        <>
          {preview === active && (
            <MenuItem onSelect={on((path) => openFiles.keep(path, side))}>Keep open</MenuItem>
          )}
          <MenuItem onSelect={on((path) => openFiles.togglePin(path, side))}>
            {at < pinned ? 'Unpin' : 'Pin'}
          </MenuItem>
          <MenuSeparator />
          {closings.map(({ which, label }) => (
            <MenuItem
              key={which}
              {...(which === 'this' && { keys: 'Del' })}
              disabled={tabsToClose(tabs, active, which).length === 0}
              onSelect={() => openFiles.close(active, which, side)}
            >
              {label}
            </MenuItem>
          ))}
        </>
      )}
      <MenuItem disabled={closed.length === 0} onSelect={() => openFiles.reopen()}>
        Reopen closed file
      </MenuItem>
      {/* A phone has no room for two. */}
      <div className={styles.split}>
        <MenuSeparator />
        {isSplit && (
          <MenuItem
            onSelect={on((path) => openFiles.move(path, Infinity, side, side === 0 ? 1 : 0))}
          >
            Move to the other side
          </MenuItem>
        )}
        <MenuItem onSelect={() => openFiles.split(!isSplit)}>
          {isSplit ? 'Join both sides' : 'Split in two'}
        </MenuItem>
      </div>
    </Menu>
  );
}
