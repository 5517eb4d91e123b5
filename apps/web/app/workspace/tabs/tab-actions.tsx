import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import type { OpenFiles, EditorGroupIndex } from './open-files.ts';
import { useStore } from '../value-store.ts';
import styles from './tab-strip.module.css';
import { isSameTab, tabsToClose, type CloseScope, type Tab } from './tabs.ts';

interface TabActionsProps {
  openFiles: OpenFiles;
  group: EditorGroupIndex;
  /** Undefined if no tab is open. */
  tab: Tab | undefined;
}

const closeActions: readonly { which: CloseScope; label: string }[] = [
  { which: 'this', label: 'Close' },
  { which: 'others', label: 'Close others' },
  { which: 'right', label: 'Close to the right' },
  { which: 'all', label: 'Close all' },
];

/** Menu items for a tab and its group. */
export function TabActions({ openFiles, group, tab }: TabActionsProps) {
  const tabs = useStore(openFiles.groups[group]);
  const isSplit = useStore(openFiles.isSplit);
  const closed = useStore(openFiles.recentlyClosed);
  const otherGroup = group === 0 ? 1 : 0;

  return (
    <>
      {tab && (
        <>
          {isSameTab(tab, tabs.preview) && (
            <MenuItem onSelect={() => openFiles.keepOpen(tab, group)}>Keep open</MenuItem>
          )}
          <MenuItem onSelect={() => openFiles.togglePin(tab, group)}>
            {tabs.open.slice(0, tabs.pinned).some((each) => isSameTab(each, tab)) ? 'Unpin' : 'Pin'}
          </MenuItem>
          <MenuSeparator />
          {closeActions.map(({ which, label }) => (
            <MenuItem
              key={which}
              {...(which === 'this' && { keys: 'Del' })}
              disabled={tabsToClose(tabs, tab, which).length === 0}
              onSelect={() => openFiles.close(tab, which, group)}
            >
              {label}
            </MenuItem>
          ))}
        </>
      )}
      <MenuItem disabled={closed.length === 0} onSelect={() => openFiles.reopen()}>
        Reopen closed file
      </MenuItem>
      {/* Hidden on phones, which have no room for two groups. */}
      <div className={styles.split}>
        <MenuSeparator />
        {isSplit && tab && (
          <MenuItem onSelect={() => openFiles.move(tab, Infinity, group, otherGroup)}>
            Move to the other group
          </MenuItem>
        )}
        <MenuItem onSelect={() => openFiles.split(!isSplit)}>
          {isSplit ? 'Join editor groups' : 'Split editor'}
        </MenuItem>
      </div>
    </>
  );
}
