import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect, useEffectEvent, useState } from 'react';
import { useRevalidator } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { isMember, type ProjectRole } from '../workspace/sharing/identity.ts';
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
  const { revalidate } = useRevalidator();
  const handleMembersChanged = useEffectEvent(async () => {
    const known = session.identity.get();
    if (known.kind === 'draft' || userId === null) return;
    const { findAccess } = await import('./connect-to-project.ts');
    const access = await findAccess(await getClient(), known, userId);
    // Without access the channel ends, which is handled there.
    if (!access) return;
    session.memberChanges.set(session.memberChanges.get() + 1);
    if (access.role === known.role && access.owner === known.owner) return;
    showRoleToast(known.role, access.role);
    // The loaded data has this user's role, and the owner's name as part of the URL.
    await revalidate();
  });

  useEffect(() => {
    if (projectId === null || userId === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    collaboration.state.set('connecting');
    const start = async () => {
      const load = () => Promise.all([getClient(), import('./connect-to-project.ts')]);
      const [client, { connectToProject }] = await loadWithRetries(load, {
        signal,
        onFailure: () => collaboration.state.set('reconnecting'),
      });
      if (signal.aborted) return;
      const disconnect = connectToProject(collaboration, {
        client,
        projectId,
        userId,
        loadUpdates: (upTo) => session.refresh(upTo),
        // The server can't be reached: the next change or reconnect checks again.
        onMembersChanged: () => void handleMembersChanged().catch(() => undefined),
        onAccessRevoked: () => leaveProject(session),
      });
      signal.addEventListener('abort', disconnect);
    };
    whenIdle(() => {
      // Rejects when aborted, or if the page has to be reloaded, which it says.
      if (!signal.aborted) start().catch(() => undefined);
    });
    return () => {
      controller.abort();
      collaboration.state.set('disconnected');
    };
  }, [getClient, collaboration, userId, projectId, session]);

  return collaboration;
}

/** Tells the user what they may do from now on. */
function showRoleToast(before: ProjectRole, role: ProjectRole): void {
  if (role === before) return;
  // A transfer is announced several times.
  const id = 'role';
  if (role === 'owner') showToast({ id, title: 'You now own this project' });
  else if (before === 'owner')
    showToast({ id, title: 'You transferred this project', description: 'You can still edit it.' });
  else if (role === 'editor') showToast({ id, title: 'You can now edit this project' });
  else
    showToast({
      id,
      title: 'You can no longer edit this project',
      description: 'Fork it to keep changes that aren’t saved yet.',
    });
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
