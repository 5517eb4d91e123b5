import { useEffect, useState } from 'react';
import { useClient } from '../session/use-client.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { isMember } from '../workspace/sharing/identity.ts';
import { useStore } from '../workspace/value-store.ts';
import { whenIdle } from '../workspace/when-idle.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Collaboration } from './collaboration.ts';

/** Connects to the other members once the document is open. Nothing waits for the connection. */
export function useCollaboration(workspace: Workspace): Collaboration {
  const getClient = useClient();
  const identity = useStore(workspace.identity);
  const isOpen = useStore(workspace.openState).status === 'open';
  const [collaboration] = useState(() => new Collaboration());
  const userId = workspace.user?.id ?? null;
  const projectId = isOpen && isMember(identity) ? identity.id : null;

  useEffect(() => {
    if (projectId === null || userId === null) return;
    let stop = () => {};
    let isCanceled = false;
    const start = async () => {
      const [supabase, { connectToProject }] = await Promise.all([
        getClient(),
        import('./connect-to-project.ts'),
      ]);
      if (isCanceled) return;
      stop = connectToProject(collaboration, {
        client: supabase,
        projectId,
        userId,
        loadUpdates: (upTo) => workspace.refresh(upTo),
        onAccessRevoked: () => leaveProject(workspace),
      });
    };
    // The chunk can't be loaded offline. The next visit retries.
    whenIdle(() => void start().catch(() => undefined));
    return () => {
      isCanceled = true;
      stop();
    };
  }, [getClient, collaboration, userId, projectId, workspace]);

  return collaboration;
}

/**
 * Keeps the content on screen so that it can be forked. The server rejects anything that is still
 * sent.
 */
function leaveProject(workspace: Workspace): void {
  const identity = workspace.identity.get();
  if (identity.kind === 'project') workspace.identity.set({ ...identity, role: 'reader' });
  showErrorToast('no_longer_in_project');
}
