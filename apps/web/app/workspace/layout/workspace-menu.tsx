import type { RunMode } from '@vitrine/sandbox/host';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { useLocation } from 'react-router';
import { formatShortcut } from '../../commands/format-shortcut.ts';
import { withNextPath } from '../../session/next-path.ts';
import { useSignOut } from '../../ui/page/account-menu.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import {
  Menu,
  MenuRadioGroup,
  MenuItem,
  MenuLink,
  MenuNote,
  MenuSeparator,
  MenuCheckboxItem,
} from '../../ui/menu.tsx';
import { ThemeMenuGroup } from '../../ui/theme-menu-group.tsx';
import { getProfilePath, useViewer, getViewerName } from '../../session/viewer.ts';
import type { LayoutName } from './workspace-layout.ts';
import { isPhone } from './phone.ts';
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

const layouts: readonly { value: LayoutName; label: string }[] = [
  { value: 'side', label: 'Side by side' },
  { value: 'stacked', label: 'Stacked' },
  { value: 'columns', label: 'Three columns' },
  { value: 'code', label: 'Code only' },
  { value: 'result', label: 'Result only' },
];

const runModes: readonly { value: RunMode; label: string }[] = [
  { value: 'typing', label: 'As you type' },
  { value: 'pause', label: 'After a pause' },
  { value: 'hand', label: 'Manually' },
];

/** Menu with everything that isn't in the top bar. */
export function WorkspaceMenu({ workspace }: { workspace: Workspace }) {
  const viewer = useViewer();
  const leave = useSignOut();
  const { pathname, search } = useLocation();
  const { preferences } = workspace;
  const { formatsOnSave, runMode, keys } = useStore(preferences.current);
  const identity = useStore(workspace.identity);
  return (
    <Menu
      trigger={
        <IconButton label="Menu" size="small">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {!viewer && (
        <MenuLink to={withNextPath('/auth/sign-in', pathname + search)}>Sign in</MenuLink>
      )}
      <MenuLink to="/new">New project</MenuLink>
      <MenuLink to="/work">Your work</MenuLink>
      {identity.kind === 'project' && identity.original && (
        <MenuLink to={identity.original.address}>Forked from {identity.original.title}</MenuLink>
      )}
      <MenuSeparator />
      <MenuItem
        keys={formatShortcut('goToFile', keys)}
        onSelect={() => workspace.dialog.set('file')}
      >
        Go to file
      </MenuItem>
      <MenuItem onSelect={() => workspace.dialog.set('commands')}>Commands…</MenuItem>
      <MenuItem onSelect={() => workspace.dialog.set('settings')}>Settings…</MenuItem>
      <MenuSeparator />
      <MenuItem keys={formatShortcut('format', keys)} onSelect={() => void workspace.format()}>
        Format
      </MenuItem>
      <MenuCheckboxItem
        isOn={formatsOnSave}
        onChange={(isOn) => preferences.change({ formatsOnSave: isOn })}
      >
        Format on save
      </MenuCheckboxItem>
      <MenuSeparator />
      <LayoutChoice workspace={workspace} />
      <MenuRadioGroup
        label="Run mode"
        value={runMode}
        options={runModes}
        onChange={(value) => preferences.change({ runMode: value })}
      />
      <MenuSeparator />
      <ThemeMenuGroup />
      {viewer && (
        <>
          <MenuSeparator />
          <MenuNote>{getViewerName(viewer)}</MenuNote>
          <MenuLink to={getProfilePath(viewer)}>Profile</MenuLink>
          <MenuLink to="/settings">Account settings</MenuLink>
          <MenuItem onSelect={leave}>Sign out</MenuItem>
        </>
      )}
    </Menu>
  );
}

/**
 * Hidden on phones, where editor and preview are never visible together. Evaluated when the menu
 * opens.
 */
function LayoutChoice({ workspace: { layout: workspaceLayout } }: { workspace: Workspace }) {
  const { layout } = useStore(workspaceLayout);
  if (isPhone()) return null;
  return (
    <>
      <MenuRadioGroup
        label="Layout"
        value={layout}
        options={layouts}
        onChange={(next) => workspaceLayout.set({ ...workspaceLayout.get(), layout: next })}
      />
      <MenuSeparator />
    </>
  );
}
