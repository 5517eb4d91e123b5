import Ellipsis from 'lucide-react/icons/ellipsis';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { EditorGroupIndex, OpenFiles } from './open-files.ts';
import { useStore } from '../value-store.ts';
import { TabActions } from './tab-actions.tsx';

interface TabsMenuProps {
  openFiles: OpenFiles;
  group: EditorGroupIndex;
}

/** Menu for the active tab and its group. */
export function TabsMenu({ openFiles, group }: TabsMenuProps) {
  const { active } = useStore(openFiles.groups[group]);
  return (
    <Menu
      trigger={
        <IconButton label={group === 0 ? 'Tab actions' : 'Tab actions, group 2'} size="small">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <TabActions openFiles={openFiles} group={group} tab={active} />
    </Menu>
  );
}
