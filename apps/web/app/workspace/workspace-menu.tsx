import type { RunMode } from '@vitrine/sandbox/host';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { useLocation } from 'react-router';
import { withNext } from '../session/next-path.ts';
import { useSignOut } from '../ui/account-menu.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import {
  Menu,
  MenuChoice,
  MenuItem,
  MenuLink,
  MenuNote,
  MenuSeparator,
  MenuToggle,
} from '../ui/menu.tsx';
import { ThemeChoice } from '../ui/theme-choice.tsx';
import { profilePath, useViewer, viewerName } from '../session/viewer.ts';
import type { LayoutName } from './arrangement.ts';
import { isPhone } from './phone.ts';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

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
  const { formatsOnSave, runMode } = useSource(preferences.now);
  const identity = useSource(workspace.identity);
  return (
    <Menu
      trigger={
        <IconButton label="Menu" size="small">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {!viewer && <MenuLink to={withNext('/auth/sign-in', pathname + search)}>Sign in</MenuLink>}
      <MenuLink to="/new">New project</MenuLink>
      <MenuLink to="/work">Your work</MenuLink>
      {identity.kind === 'project' && identity.original && (
        <MenuLink to={identity.original.address}>Forked from {identity.original.title}</MenuLink>
      )}
      <MenuSeparator />
      <MenuItem keys="Ctrl P" onSelect={() => workspace.dialog.set('file')}>
        Go to file
      </MenuItem>
      <MenuItem onSelect={() => workspace.dialog.set('commands')}>Commands…</MenuItem>
      <MenuItem onSelect={() => workspace.dialog.set('settings')}>Settings…</MenuItem>
      <MenuSeparator />
      <MenuItem keys="Shift Alt F" onSelect={() => void workspace.format()}>
        Format
      </MenuItem>
      <MenuToggle
        isOn={formatsOnSave}
        onChange={(isOn) => preferences.change({ formatsOnSave: isOn })}
      >
        Format on save
      </MenuToggle>
      <MenuSeparator />
      <LayoutChoice workspace={workspace} />
      <MenuChoice
        label="Run mode"
        value={runMode}
        options={runModes}
        onChange={(value) => preferences.change({ runMode: value })}
      />
      <MenuSeparator />
      <ThemeChoice />
      {viewer && (
        <>
          <MenuSeparator />
          <MenuNote>{viewerName(viewer)}</MenuNote>
          <MenuLink to={profilePath(viewer)}>Profile</MenuLink>
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
function LayoutChoice({ workspace: { arrangement } }: { workspace: Workspace }) {
  const { layout } = useSource(arrangement);
  if (isPhone()) return null;
  return (
    <>
      <MenuChoice
        label="Layout"
        value={layout}
        options={layouts}
        onChange={(next) => arrangement.set({ ...arrangement.get(), layout: next })}
      />
      <MenuSeparator />
    </>
  );
}
