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
import { ThemeMenuGroup } from '../../ui/theme/theme-menu-group.tsx';
import { getProfilePath, useViewer, getViewerName } from '../../session/viewer.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { WorkspaceSession } from '../session.ts';
import { showHistory, startSavingVersion } from '../history/save-version.ts';
import { startCopyingCodeLink } from '../sharing/share-dialog.tsx';
import {
  canBeCollected,
  canSave,
  getWorkspacePath,
  type ProjectIdentity,
} from '../sharing/identity.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import type { LayoutController } from './layout-controller.ts';
import type { LayoutName } from './workspace-layout.ts';
import { isPhone } from './phone.ts';
import { useStore } from '../value-store.ts';

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

interface WorkspaceMenuProps {
  session: WorkspaceSession;
  layout: LayoutController;
  openFiles: OpenFiles;
  preferences: PreferencesStore;
  onUpload: () => void;
  onFormat: () => Promise<void>;
}

/** Menu with everything that isn't in the top bar. */
export function WorkspaceMenu(props: WorkspaceMenuProps) {
  const { session, layout, openFiles, preferences, onUpload, onFormat } = props;
  const viewer = useViewer();
  const leave = useSignOut();
  const { pathname, search } = useLocation();
  const { formatsOnSave, runMode, keys } = useStore(preferences.current);
  const identity = useStore(session.identity);
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
      {identity.kind === 'project' && (
        <VersionItems {...{ session, layout, openFiles }} project={identity} />
      )}
      {identity.kind === 'project' && (
        <MenuLink to={`${getWorkspacePath(identity)}/forks`}>Forks</MenuLink>
      )}
      {viewer && identity.kind === 'project' && canBeCollected(identity) && (
        <MenuItem onSelect={() => layout.dialog.set('collections')}>Add to collection</MenuItem>
      )}
      {identity.kind === 'project' && identity.role === 'owner' && (
        <MenuItem onSelect={() => layout.dialog.set('details')}>Details</MenuItem>
      )}
      <MenuSeparator />
      <MenuItem keys={formatShortcut('goToFile', keys)} onSelect={() => layout.dialog.set('file')}>
        Go to file
      </MenuItem>
      <MenuItem onSelect={onUpload}>Upload</MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('download')}>Download</MenuItem>
      <MenuItem onSelect={() => startCopyingCodeLink(session)}>Copy link with code</MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('commands')}>Commands</MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('settings')}>Settings</MenuItem>
      <MenuSeparator />
      <MenuItem keys={formatShortcut('format', keys)} onSelect={() => void onFormat()}>
        Format
      </MenuItem>
      <MenuCheckboxItem
        isOn={formatsOnSave}
        onChange={(isOn) => preferences.change({ formatsOnSave: isOn })}
      >
        Format on save
      </MenuCheckboxItem>
      <MenuSeparator />
      <LayoutChoice layout={layout} />
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

interface VersionItemsProps {
  session: WorkspaceSession;
  layout: LayoutController;
  openFiles: OpenFiles;
  project: ProjectIdentity;
}

function VersionItems({ session, layout, openFiles, project }: VersionItemsProps) {
  return (
    <>
      <MenuSeparator />
      <MenuItem onSelect={() => showHistory({ layout, openFiles })}>History</MenuItem>
      {canSave(project) && (
        <MenuItem onSelect={() => startSavingVersion({ session, layout, openFiles })}>
          Save version…
        </MenuItem>
      )}
      {project.role === 'owner' && (
        <MenuItem onSelect={() => layout.dialog.set('share')}>Publish version</MenuItem>
      )}
    </>
  );
}

/**
 * Hidden on phones, where editor and preview are never visible together. Evaluated when the menu
 * opens.
 */
function LayoutChoice({ layout: controller }: { layout: LayoutController }) {
  const { layout } = useStore(controller.current);
  if (isPhone()) return null;
  return (
    <>
      <MenuRadioGroup
        label="Layout"
        value={layout}
        options={layouts}
        onChange={(next) => controller.setLayout(next)}
      />
      <MenuSeparator />
    </>
  );
}
