import type { AuthChangeEvent, Session } from '@supabase/supabase-js';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useLocation, useNavigate, useRevalidator } from 'react-router';
import { hideErrorToast, showErrorToast } from '../ui/toast.tsx';
import { callbackPath } from './next-path.ts';
import { useClient } from './use-client.ts';
import { beginRecovery, isRecovering, recoveryPath } from './recovery.ts';
import { followSignOut, takeAsked } from './session-end.ts';
import { tellTokenRefreshed } from './token-refresh.ts';
import { useSessionPerson, useViewer } from './viewer.ts';

/**
 * Answers what the auth client tells this tab, also when another tab began it: the client hands its
 * events on over a BroadcastChannel. What the server rendered is the truth about who is looking, so
 * most answers are one revalidation.
 */
export function SessionEvents({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const known = useSessionPerson();
  const client = useClient();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [leaving, setLeaving] = useState(false);
  /** The viewer of the server's last answer; null once this tab has dealt with a sign-out itself. */
  const lastViewer = useRef(viewer);
  useRecovery();

  const answer = useEffectEvent((event: AuthChangeEvent, session: Session | null) => {
    const person = session?.user.id ?? null;
    switch (event) {
      case 'INITIAL_SESSION':
        // The server could not refresh an expired session; this browser just did, or found it gone.
        if (person !== known) void revalidate();
        return;
      case 'SIGNED_IN':
        takeAsked();
        hideErrorToast('session_expired');
        // It is told again each time a tab comes to the front.
        if (person !== known) void revalidate();
        return;
      case 'SIGNED_OUT': {
        const isAsked = takeAsked();
        if (known === null) return;
        lastViewer.current = null;
        if (viewer && !isAsked) showErrorToast('session_expired');
        setLeaving(true);
        void revalidate().finally(() => setLeaving(false));
        return;
      }
      case 'TOKEN_REFRESHED':
        tellTokenRefreshed();
        return;
      case 'MFA_CHALLENGE_VERIFIED':
      case 'USER_UPDATED':
        void revalidate();
        return;
      case 'PASSWORD_RECOVERY':
        // Only the tab that opened the mailed link is held; the others have someone signed in.
        if ([callbackPath, recoveryPath].includes(location.pathname)) {
          beginRecovery();
          void navigate(recoveryPath, { replace: true });
        } else void revalidate();
        return;
      default:
        return;
    }
  });

  // A session that was ended on another device: the server clears its cookies, and no event comes.
  useEffect(() => {
    if (lastViewer.current !== null && known === null && !takeAsked())
      showErrorToast('session_expired');
    lastViewer.current = viewer;
  }, [viewer, known]);

  useEffect(followSignOut, []);
  useEffect(() => {
    let stop = () => {};
    let left = false;
    const subscribe = async () => {
      const { auth } = await client();
      if (left) return;
      const { data } = auth.onAuthStateChange((event, session) => answer(event, session));
      stop = () => data.subscription.unsubscribe();
    };
    void subscribe();
    return () => {
      left = true;
      stop();
    };
  }, [client]);

  // Private data is out of sight at once; the revalidation then takes it out of memory.
  return <div style={leaving ? { visibility: 'hidden' } : { display: 'contents' }}>{children}</div>;
}

/** Keeps this tab on "choose a new password" until that is done or cancelled. */
function useRecovery() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (isRecovering() && pathname !== recoveryPath) void navigate(recoveryPath, { replace: true });
  }, [pathname, navigate]);
}
