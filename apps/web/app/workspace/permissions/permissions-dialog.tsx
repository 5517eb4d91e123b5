import { findPermission, permissions, type PermissionName } from '@vitrine/sandbox/permissions';
import { useEffect, useState } from 'react';
import type { CommandContext } from '../../commands/workspace-commands.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import type { WorkspaceIdentity } from '../sharing/identity.ts';
import { useStore } from '../value-store.ts';
import styles from './permissions-dialog.module.css';
import type { ProjectPermissions } from './project-permissions.ts';

interface WorkspacePermissionsDialogProps {
  context: CommandContext;
  isOpen: boolean;
}

/** The permissions of the open project on this device, or the question about one of them. */
export default function WorkspacePermissionsDialog({
  context,
  isOpen,
}: WorkspacePermissionsDialogProps) {
  const { permissions: project, session, layout, preview } = context.workspace;
  const requested = useStore(project.requested);
  const identity = useStore(session.identity);
  const isSupported = useStore(preview.limitations) === null;
  const close = () => {
    project.requested.set(null);
    layout.dialog.set(null);
  };
  if (!isOpen) return null;
  if (requested !== null)
    return (
      <PermissionRequestDialog {...{ identity, requested }} permissions={project} onClose={close} />
    );
  return <PermissionListDialog permissions={project} isSupported={isSupported} onClose={close} />;
}

interface PermissionListDialogProps {
  permissions: ProjectPermissions;
  /** Whether previews can have permissions in this browser. */
  isSupported: boolean;
  onClose: () => void;
}

function PermissionListDialog({
  permissions: project,
  isSupported,
  onClose,
}: PermissionListDialogProps) {
  const allowed = useStore(project.allowed);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Permissions"
      description={
        isSupported
          ? 'Choose what this project’s page can ask your browser for. These settings apply only to you, on this device.'
          : 'In this browser, previews have no origin of their own, so pages can’t get permissions. Open the project in Chrome, Edge, or Firefox.'
      }
    >
      <ul aria-label="Permissions" className={styles.list}>
        {permissions.map(({ name, noun }) => (
          <li key={name}>
            <label className={styles.row}>
              <input
                type="checkbox"
                checked={allowed.has(name)}
                disabled={!isSupported && !allowed.has(name)}
                onChange={({ target }) => project.set(name, target.checked)}
              />
              {noun.charAt(0).toUpperCase() + noun.slice(1)}
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface PermissionRequestDialogProps {
  permissions: ProjectPermissions;
  requested: PermissionName;
  identity: WorkspaceIdentity;
  onClose: () => void;
}

/** Time until the button works, so that a click meant for the page below it can't press it. */
const clickDelayMs = 700;

/** Asks whether the project may have a permission. */
export function PermissionRequestDialog({
  permissions: project,
  requested,
  identity,
  onClose,
}: PermissionRequestDialogProps) {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), clickDelayMs);
    return () => clearTimeout(timer);
  }, []);
  const { noun = requested, use = '' } = findPermission(requested) ?? {};
  const author = identity.kind === 'project' ? ` by ${identity.owner}` : '';
  return (
    <Dialog
      open
      onClose={onClose}
      width="narrow"
      title={`Allow ${noun}?`}
      description={`“${identity.title}”${author} will be able to ${use} while its page is open. This applies only to this device. Your browser may also ask.`}
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="primary"
          disabled={!isReady}
          onClick={() => {
            project.set(requested, true);
            onClose();
          }}
        >
          Allow {noun}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
