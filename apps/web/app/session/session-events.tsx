import type { AuthChangeEvent, Session } from '@supabase/supabase-js';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useLocation, useNavigate, useRevalidator } from 'react-router';
import { closeErrorToast, showErrorToast } from '../ui/toast.tsx';
import { callbackPath } from './next-path.ts';
import { useClient } from './use-client.ts';
import { startRecovery, isRecovering, recoveryPath } from './recovery.ts';
import { watchSignOutRequests, consumeSignOutRequest } from './sign-out.ts';
import { emitTokenRefreshed } from './token-refresh.ts';
import { useSessionUserId, useViewer } from './viewer.ts';

/** Removes the user's files from this device, except those that wait for their upload. */
async function clearCachedAssets(): Promise<void> {
  try {
    const load = () => import('@vitrine/collaboration/local-assets');
    const { LocalAssets } = await loadWithRetries(load);
    await new LocalAssets().clearCached();
  } catch {
    // The page is outdated, or has no storage. The next sign-out removes them.
  }
}

/**
 * Handles the auth client's events, including those of other tabs, which the client broadcasts. The
 * root loader decides who the viewer is, so that most events only cause a revalidation.
 */
export function SessionEvents({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const userId = useSessionUserId();
  const getClient = useClient();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [isSigningOut, setSigningOut] = useState(false);
  /** The viewer of the last loader data; null once this tab has handled a sign-out itself. */
  const lastViewer = useRef(viewer);
  useRecovery();

  const handleEvent = useEffectEvent((event: AuthChangeEvent, session: Session | null) => {
    const eventUserId = session?.user.id ?? null;
    switch (event) {
      case 'INITIAL_SESSION':
        // The client refreshed an expired session, which the server can't, or found it ended.
        if (eventUserId !== userId) void revalidate();
        return;
      case 'SIGNED_IN':
        consumeSignOutRequest();
        closeErrorToast('session_expired');
        // Fires again whenever the tab becomes visible.
        if (eventUserId !== userId) void revalidate();
        return;
      case 'SIGNED_OUT': {
        const isRequested = consumeSignOutRequest();
        if (userId === null) return;
        lastViewer.current = null;
        void clearCachedAssets();
        if (viewer && !isRequested) showErrorToast('session_expired');
        setSigningOut(true);
        void revalidate().finally(() => setSigningOut(false));
        return;
      }
      case 'TOKEN_REFRESHED':
        emitTokenRefreshed();
        return;
      case 'MFA_CHALLENGE_VERIFIED':
      case 'USER_UPDATED':
        void revalidate();
        return;
      case 'PASSWORD_RECOVERY':
        // Only the tab that opened the email link shows the form; in the others, a user signed in.
        if ([callbackPath, recoveryPath].includes(location.pathname)) {
          startRecovery();
          void navigate(recoveryPath, { replace: true });
        } else void revalidate();
        return;
      default:
        return;
    }
  });

  // When a session is ended on another device, the server clears the cookies without an event.
  useEffect(() => {
    if (lastViewer.current !== null && userId === null && !consumeSignOutRequest())
      showErrorToast('session_expired');
    lastViewer.current = viewer;
  }, [viewer, userId]);

  useEffect(watchSignOutRequests, []);
  useEffect(() => {
    let unsubscribe = () => {};
    let isUnmounted = false;
    const subscribe = async () => {
      const { auth } = await loadWithRetries(getClient);
      if (isUnmounted) return;
      const { data } = auth.onAuthStateChange((event, session) => handleEvent(event, session));
      unsubscribe = () => data.subscription.unsubscribe();
    };
    void subscribe();
    return () => {
      isUnmounted = true;
      unsubscribe();
    };
  }, [getClient]);

  // Hides private data immediately; the revalidation then removes it from memory.
  const style = isSigningOut ? ({ visibility: 'hidden' } as const) : { display: 'contents' };
  return <div style={style}>{children}</div>;
}

/** Keeps this tab on the reset page until a new password was chosen or the user canceled. */
function useRecovery() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (isRecovering() && pathname !== recoveryPath) void navigate(recoveryPath, { replace: true });
  }, [pathname, navigate]);
}
