import type { AssetFile } from '@vitrine/project';
import type { PrerenderPlan } from '@vitrine/sandbox/prerendered-frame';
import { createLazyAssetStore } from '../assets/asset-loader.ts';
import { createPackageApi } from '../packages/package-api.ts';
import { createPreferencesApi } from '../preferences/preferences-api.ts';
import type { Preferences } from '../preferences/preferences.ts';
import type { PageSettings } from '../request-context.ts';
import { loadClient } from '../session/load-client.ts';
import { ProjectAssets } from './assets/project-assets.ts';
import { withKnownPanels } from './layout/panels.tsx';
import type { WorkspaceLayout } from './layout/workspace-layout.ts';
import { toastNotices } from './notices.ts';
import { createProjectApi } from './saving/project-api.ts';
import { createPreviewAccess } from './preview/preview-access.ts';
import {
  getWorkspacePath,
  getPreviewKey,
  type ProjectIdentity,
  type WorkspaceIdentity,
  type WorkspaceUser,
} from './sharing/identity.ts';
import { openProjectDocument } from './saving/open-project-document.ts';
import { toProjectFiles } from './project-files.ts';
import { choosePagePreviewHost } from './preview/page-preview-host.ts';
import { Workspace } from './workspace.ts';

/** Data that a route provides to open a workspace. */
export interface WorkspaceData {
  readonly identity: WorkspaceIdentity;
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly assets: readonly (readonly [path: string, asset: AssetFile])[];
  readonly arrangement: WorkspaceLayout;
  readonly preferences: Preferences;
  /** Result of `load_document`. Undefined for a draft, and for a user who can't save. */
  readonly document?: unknown;
  /** One-time URL that grants access to a private project's preview. */
  readonly entry?: string | null;
  /** Plan of the preview that the server's page prerenders. */
  readonly prerenderPlan?: PrerenderPlan | undefined;
}

/** The page and its user. */
interface WorkspaceContext {
  readonly page: PageSettings;
  readonly user: WorkspaceUser | null;
}

/** Creates the workspace of a route's data. It does nothing until it is started. */
export function createWorkspace(data: WorkspaceData, { page, user }: WorkspaceContext): Workspace {
  const { identity, arrangement, preferences, document: loaded } = data;
  const files = toProjectFiles(data.files, data.assets);
  const getClient = () => loadClient(page);
  const api = createProjectApi(getClient);
  return new Workspace({
    identity,
    user,
    files,
    assets: new ProjectAssets(createLazyAssetStore({ page, userId: user?.id ?? null, files })),
    layout: withKnownPanels(arrangement),
    preferences,
    preferenceApi: (owner) => createPreferencesApi(getClient, owner),
    api,
    notices: toastNotices,
    packageApi: () => createPackageApi(),
    getClient,
    openDocument: () => openProjectDocument({ identity, user, files, api, loaded }),
    choosePreviewHost: () => choosePagePreviewHost(page),
    ...(data.prerenderPlan && { prerenderPlan: data.prerenderPlan }),
    requestPreviewAccess: createAccess(data, page),
  });
}

/** Access to a preview that isn't what visitors see. */
function createAccess({ entry = null, prerenderPlan }: WorkspaceData, page: PageSettings) {
  let access: ReturnType<typeof createPreviewAccess> | undefined;
  return (identity: ProjectIdentity, signal: AbortSignal): Promise<string> => {
    const previewHost = choosePagePreviewHost(page);
    const key = getPreviewKey(identity);
    const origin =
      previewHost.transport === 'isolated-origin' ? previewHost.origin(key) : previewHost.origin;
    access ??= createPreviewAccess({
      address: getWorkspacePath(identity),
      origin,
      key,
      first: prerenderPlan ? null : entry,
    });
    return access(signal);
  };
}
