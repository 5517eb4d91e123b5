import { findErrorCode } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect, useState, type ComponentType } from 'react';
import { showErrorToast } from '../ui/toast.tsx';
import { useStore } from '../workspace/value-store.ts';
import { whenIdle } from '../schedule.ts';
import type { WorkspaceDialog } from '../workspace/layout/layout-controller.ts';
import { captureTyping } from './capture-typing.ts';
import type { CommandContext } from './workspace-commands.ts';

interface DialogProps {
  context: CommandContext;
  isOpen: boolean;
}

const loaders: Readonly<
  Record<Exclude<WorkspaceDialog, 'share'>, () => Promise<{ default: ComponentType<DialogProps> }>>
> = {
  commands: () => import('./command-palette.tsx'),
  settings: () => import('../preferences/settings-dialog.tsx'),
  keys: () => import('../preferences/settings-dialog.tsx'),
  file: () => import('../workspace/search/go-to-file.tsx'),
  collections: () => import('../workspace/sharing/add-to-collection.tsx'),
  download: () => import('../export/workspace-download.tsx'),
  details: () => import('../workspace/sharing/project-details.tsx'),
  permissions: () => import('../workspace/permissions/permissions-dialog.tsx'),
};

/**
 * Dialogs opened by commands. Each is loaded on first use, with a toast if that fails; the two
 * whose field is typed into at once are preloaded. Text typed while a dialog loads goes into it.
 */
export function WorkspaceDialogs({ context }: Pick<DialogProps, 'context'>) {
  const { dialog } = context.workspace.layout;
  const current = useStore(dialog);
  const [loaded, setLoaded] = useState<{
    name: WorkspaceDialog;
    Dialog: ComponentType<DialogProps>;
  }>();
  useEffect(() => {
    // A failure is reported when the dialog is opened.
    const load = () =>
      void Promise.allSettled(
        [loaders.commands, loaders.file].map((each) => loadWithRetries(each)),
      );
    whenIdle(load);
  }, []);
  useEffect(() => {
    if (current === null || current === 'share') return;
    loaders[current]().then(
      ({ default: Dialog }) => setLoaded({ name: current, Dialog }),
      (error: unknown) => {
        dialog.set(null);
        showErrorToast(findErrorCode(error));
      },
    );
    return captureTyping();
  }, [current, dialog]);
  return loaded ? <loaded.Dialog context={context} isOpen={loaded.name === current} /> : null;
}
