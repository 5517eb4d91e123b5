import type { RunMode } from '@vitrine/sandbox/host';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { formatShortcut } from '../../commands/format-shortcut.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import {
  Menu,
  MenuRadioGroup,
  MenuItem,
  MenuLink,
  MenuSeparator,
  MenuCheckboxItem,
} from '../../ui/menu.tsx';
import { useViewer } from '../../session/viewer.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { WorkspaceSession } from '../session.ts';
import { startSavingVersion } from '../history/save-version.ts';
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

/** Menu with what is neither in the top bar nor in a panel. */
export function WorkspaceMenu(props: WorkspaceMenuProps) {
  const { session, layout, openFiles, preferences, onUpload, onFormat } = props;
  const viewer = useViewer();
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
      <MenuLink to="/new">New project</MenuLink>
      <MenuLink to="/work">Your work</MenuLink>
      <MenuSeparator />
      {identity.kind === 'project' && (
        <ProjectItems
          {...{ session, layout, openFiles }}
          project={identity}
          isSignedIn={viewer !== null}
        />
      )}
      <MenuItem onSelect={onUpload}>Upload</MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('download')}>Download</MenuItem>
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
      <MenuItem onSelect={() => layout.dialog.set('commands')}>Commands</MenuItem>
      <MenuItem onSelect={() => layout.dialog.set('settings')}>Settings</MenuItem>
    </Menu>
  );
}

interface ProjectItemsProps {
  session: WorkspaceSession;
  layout: LayoutController;
  openFiles: OpenFiles;
  project: ProjectIdentity;
  isSignedIn: boolean;
}

/** Items for a saved project, according to the user's role. */
function ProjectItems({ session, layout, openFiles, project, isSignedIn }: ProjectItemsProps) {
  return (
    <>
      {project.original && (
        <MenuLink to={project.original.address}>Forked from {project.original.title}</MenuLink>
      )}
      <MenuLink to={`${getWorkspacePath(project)}/forks`}>Forks</MenuLink>
      {canSave(project) && (
        <MenuItem onSelect={() => startSavingVersion({ session, layout, openFiles })}>
          Save version…
        </MenuItem>
      )}
      {isSignedIn && canBeCollected(project) && (
        <MenuItem onSelect={() => layout.dialog.set('collections')}>Add to collection</MenuItem>
      )}
      {project.role === 'owner' && (
        <MenuItem onSelect={() => layout.dialog.set('details')}>Details</MenuItem>
      )}
      <MenuSeparator />
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
