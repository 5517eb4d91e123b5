import { findErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { showErrorToast } from '../ui/toast.tsx';
import { useStore } from '../workspace/value-store.ts';
import type { ImportDialog, ImportTarget } from './import-dialog.tsx';
import { importRequest, takeSource } from './import-request.ts';

interface ImportHostProps {
  /** The open project, which files can be imported into. */
  project?: ImportTarget;
  /** Whether files that are dropped anywhere on the page are imported. */
  acceptsDrops?: boolean;
}

/** The import dialog of a page, loaded when it's first requested. */
export function ImportHost({ project, acceptsDrops = false }: ImportHostProps) {
  const request = useStore(importRequest);
  const isRequested = request !== null;
  useFileDrop(acceptsDrops || isRequested);
  const [loaded, setLoaded] = useState<{ Dialog: typeof ImportDialog }>();
  useEffect(() => {
    if (!isRequested) return;
    import('./import-dialog.tsx').then(
      (module) => setLoaded({ Dialog: module.ImportDialog }),
      (error: unknown) => {
        importRequest.set(null);
        showErrorToast(findErrorCode(error));
      },
    );
  }, [isRequested]);
  // A request belongs to the page it was made on.
  useEffect(() => () => importRequest.set(null), []);
  return loaded && <loaded.Dialog request={request} project={project} />;
}

/** Imports files that are dropped anywhere in the window, before an editor would insert them. */
function useFileDrop(isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled) return;
    const handle = (event: DragEvent) => {
      const { dataTransfer, type } = event;
      if (!dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.stopPropagation();
      if (type === 'drop') importRequest.set({ source: takeSource(dataTransfer) });
    };
    window.addEventListener('dragover', handle, true);
    window.addEventListener('drop', handle, true);
    return () => {
      window.removeEventListener('dragover', handle, true);
      window.removeEventListener('drop', handle, true);
    };
  }, [isEnabled]);
}
