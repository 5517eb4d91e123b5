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
  const { revalidate } = useRevalidator();
  const isSavedElsewhere = useStore(workspace.isSavedInOtherTab);
  // Reruns the draft's loader, which redirects to the project.
  useEffect(() => {
    if (isSavedElsewhere) void revalidate();
  }, [isSavedElsewhere, revalidate]);
  return (
    <>
      <WorkspaceScreen key={workspace.id} workspace={workspace} />
      <SaveAfterSignIn key={`${workspace.id} save`} workspace={workspace} />
      <ForkAfterSignIn key={`${workspace.id} fork`} workspace={workspace} />
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
  const matches = current.matches(data.identity, user);
  const workspace = matches ? current : make();
  if (!matches) setCurrent(workspace);
  // Applies changes made elsewhere, such as the title, when the route's data is reloaded.
  useEffect(() => {
    if (data.identity.kind === 'project') workspace.identity.set(data.identity);
  }, [data, workspace]);
  return workspace;
}

function useUser(): WorkspaceUser | null {
  const viewer = useViewer();
  return viewer && { id: viewer.id, username: viewer.username };
}

/** Saves a draft whose author had to sign in first. */
function SaveAfterSignIn({ workspace }: { workspace: Workspace }) {
  const isOpen = useStore(workspace.openState).status === 'open';
  const [search, setSearch] = useSearchParams();
  const { save } = useSaving(workspace);
  const hasStarted = useRef(false);
  const requested = search.get(saveParameter);
  const isRequested = requested !== null && workspace.user !== null;
  useEffect(() => {
    if (!isOpen || !isRequested || hasStarted.current) return;
    hasStarted.current = true;
    setSearch({}, { replace: true });
    void save(isVisibility(requested) ? requested : 'private');
  }, [isOpen, isRequested, requested, save, setSearch]);
  return null;
}

/** Forks a project with the unsaved changes that a visitor made before signing in. */
function ForkAfterSignIn({ workspace }: { workspace: Workspace }) {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const hasStarted = useRef(false);
  const id = search.get(forkParameter);
  useEffect(() => {
    const { user } = workspace;
    if (id === null || !user || hasStarted.current) return;
    hasStarted.current = true;
    // A user who can save is offered to restore the changes in the project itself.
    if (canSave(workspace.options.identity)) return setSearch({}, { replace: true });
    const fork = async () => {
      await (await openLocalStore(user.id)).convertToDraft(id);
      await navigate(`/draft/${id}?${saveParameter}=private`, { replace: true });
    };
    fork().catch((error: unknown) => {
      showErrorToast(findErrorCode(error));
      setSearch({}, { replace: true });
    });
  }, [id, navigate, setSearch, workspace]);
  return null;
}
