import { useEffect, useRef, useState } from 'react';
import {
  Outlet,
  useNavigate,
  useRevalidator,
  useRouteLoaderData,
  useSearchParams,
} from 'react-router';
import { findErrorCode, isVisibility } from '@vitrine/project';
import { usePageSettings } from '../session/page-settings.ts';
import { useViewer } from '../session/viewer.ts';
import { forkParameter, saveParameter } from '../session/next-path.ts';
import type { clientLoader as draftLoader } from './draft.tsx';
import { openLocalStore } from './saving/drafts.ts';
import { canSave, type WorkspaceUser } from './sharing/identity.ts';
import { showErrorToast } from '../ui/toast.tsx';
import type { CodeIntelligence } from './code/code-intelligence.ts';
import type { WorkspaceSession } from './session.ts';
import { createWorkspace, type WorkspaceData } from './create-workspace.ts';
import type { loader as projectLoader } from './project.tsx';
import { useSaving } from './saving/saving.ts';
import { useStore } from './value-store.ts';
import type { Workspace } from './workspace.ts';
import { WorkspaceScreen } from './workspace-screen.tsx';

/**
 * Layout of drafts and projects. Saving a draft changes the URL, but the workspace with its preview
 * and editors stays mounted.
 */
export default function Screen() {
  const draft = useRouteLoaderData<typeof draftLoader>('workspace/draft');
  const project = useRouteLoaderData<typeof projectLoader>('workspace/project');
  const data = project ?? draft;
  return data ? <WorkspaceRoute data={data} /> : <Outlet />;
}

function WorkspaceRoute({ data }: { data: WorkspaceData }) {
  const workspace = useWorkspace(data);
  const { code, session } = workspace;
  const { revalidate } = useRevalidator();
  const isSavedElsewhere = useStore(session.isSavedInOtherTab);
  // Reruns the draft's loader, which redirects to the project.
  useEffect(() => {
    if (isSavedElsewhere) void revalidate();
  }, [isSavedElsewhere, revalidate]);
  return (
    <>
      <WorkspaceScreen key={session.key} workspace={workspace} />
      <SaveAfterSignIn key={`${session.key} save`} session={session} code={code} />
      <ForkAfterSignIn key={`${session.key} fork`} session={session} />
      <Outlet />
    </>
  );
}

/** Workspace for the route's data and the user. The same instance as long as both match. */
function useWorkspace(data: WorkspaceData): Workspace {
  const page = usePageSettings();
  const user = useUser();
  const make = () => createWorkspace(data, { page, user });
  const [current, setCurrent] = useState(make);
  const matches = current.session.matches(data.identity, user);
  const workspace = matches ? current : make();
  if (!matches) setCurrent(workspace);
  // Applies changes made elsewhere, such as the title, when the route's data is reloaded.
  useEffect(() => {
    if (data.identity.kind === 'project') workspace.session.identity.set(data.identity);
  }, [data, workspace]);
  return workspace;
}

function useUser(): WorkspaceUser | null {
  const viewer = useViewer();
  return viewer && { id: viewer.id, username: viewer.username };
}

interface SaveAfterSignInProps {
  session: WorkspaceSession;
  code: CodeIntelligence;
}

/** Saves a draft whose author had to sign in first. */
function SaveAfterSignIn({ session, code }: SaveAfterSignInProps) {
  const isOpen = useStore(session.openState).status === 'open';
  const [search, setSearch] = useSearchParams();
  const { save } = useSaving(session, code);
  const hasStarted = useRef(false);
  const requested = search.get(saveParameter);
  const isRequested = requested !== null && session.user !== null;
  useEffect(() => {
    if (!isOpen || !isRequested || hasStarted.current) return;
    hasStarted.current = true;
    setSearch({}, { replace: true });
    void save(isVisibility(requested) ? requested : 'private');
  }, [isOpen, isRequested, requested, save, setSearch]);
  return null;
}

/** Forks a project with the unsaved changes that a visitor made before signing in. */
function ForkAfterSignIn({ session }: { session: WorkspaceSession }) {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const hasStarted = useRef(false);
  const id = search.get(forkParameter);
  useEffect(() => {
    const { user } = session;
    if (id === null || !user || hasStarted.current) return;
    hasStarted.current = true;
    // A user who can save is offered to restore the changes in the project itself.
    if (canSave(session.initialIdentity)) return setSearch({}, { replace: true });
    const fork = async () => {
      await (await openLocalStore(user.id)).convertToDraft(id);
      await navigate(`/draft/${id}?${saveParameter}=private`, { replace: true });
    };
    fork().catch((error: unknown) => {
      showErrorToast(findErrorCode(error));
      setSearch({}, { replace: true });
    });
  }, [id, navigate, setSearch, session]);
  return null;
}
