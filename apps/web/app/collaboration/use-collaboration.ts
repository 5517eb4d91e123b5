import { useEffect, useState } from 'react';
import { useClient } from '../session/use-client.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { isMember } from '../workspace/sharing/identity.ts';
import type { WorkspaceSession } from '../workspace/session.ts';
import { useStore } from '../workspace/value-store.ts';
import { whenIdle } from '../schedule.ts';
import { Collaboration } from './collaboration.ts';

/** Connects to the other members once the document is open. Nothing waits for the connection. */
export function useCollaboration(session: WorkspaceSession): Collaboration {
  const getClient = useClient();
  const identity = useStore(session.identity);
  const isOpen = useStore(session.openState).status === 'open';
  const [collaboration] = useState(() => new Collaboration());
  const userId = session.userId;
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
        loadUpdates: (upTo) => session.refresh(upTo),
        onAccessRevoked: () => leaveProject(session),
      });
    };
    // The chunk can't be loaded offline. The next visit retries.
    whenIdle(() => void start().catch(() => undefined));
    return () => {
      isCanceled = true;
      stop();
    };
  }, [getClient, collaboration, userId, projectId, session]);

  return collaboration;
}

/**
 * Keeps the content on screen so that it can be forked. The server rejects anything that is still
 * sent.
 */
function leaveProject(session: WorkspaceSession): void {
  const identity = session.identity.get();
  if (identity.kind === 'project') session.identity.set({ ...identity, role: 'reader' });
  showErrorToast('no_longer_in_project');
}
