import type { PermissionName } from '@vitrine/sandbox/permissions';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { loadable } from '../../ui/loadable.tsx';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { WorkspaceIdentity } from '../sharing/identity.ts';
import { useStore } from '../value-store.ts';
import styles from './permission-note.module.css';
import { describePermissionFix, type ProjectPermissions } from './project-permissions.ts';

const PermissionRequestDialog = loadable(async () => {
  const { PermissionRequestDialog: dialog } = await import('./permissions-dialog.tsx');
  return { default: dialog };
});

interface PermissionNoteProps {
  preview: PreviewController;
  permissions: ProjectPermissions;
  identity: WorkspaceIdentity;
}

/** Line about a permission that a page outside the workspace was refused. */
export function PermissionNote({ preview, permissions, identity }: PermissionNoteProps) {
  const [requested, setRequested] = useState<PermissionName>();
  const refused = useStore(preview.problems).find((problem) => problem.kind === 'permission');
  if (refused?.kind !== 'permission') return null;
  const { permission, canAllow, message } = refused;
  return (
    <div className={styles.note}>
      <output>{message}</output>
      {canAllow && (
        <Button size="small" onClick={() => setRequested(permission)}>
          {describePermissionFix(permission)}
        </Button>
      )}
      {requested !== undefined && (
        <PermissionRequestDialog
          {...{ permissions, requested, identity }}
          onClose={() => setRequested(undefined)}
        />
      )}
    </div>
  );
}
