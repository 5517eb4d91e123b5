import { findAssetSources } from '@vitrine/project';
import { redirect, replace } from 'react-router';
import { createLazyAssetStore } from '../assets/asset-loader.ts';
import { listOwnProjects } from '../projects/own-projects.server.ts';
import { requestContext, type PageSettings } from '../request-context.ts';
import { findTemplate, type TemplateContent } from '../templates/find-template.server.ts';
import type { Route } from './+types/start';
import { toProjectFiles } from './project-files.ts';
import { createLocalDraft, listDraftTitles, numberTitle } from './saving/drafts.ts';

/** Number of the user's latest projects whose titles are compared with the new one. */
const maxComparedTitles = 200;

/** Template of the new draft. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const template = await findTemplate(requestInfo, params);
  const saved = await listOwnProjects(requestInfo, maxComparedTitles);
  return {
    template,
    page: requestInfo.page,
    userId: requestInfo.claims?.sub ?? null,
    taken: saved.map((project) => project.title),
  };
}

/** Creates the draft on this device and redirects to it. Going back doesn't create another. */
export async function clientLoader({ request, serverLoader }: Route.ClientLoaderArgs) {
  const { template, page, userId, taken } = await serverLoader();
  await copyAssets(template, page, userId);
  const titles = new Set([...taken, ...(await listDraftTitles(userId))]);
  const id = await createLocalDraft(userId, {
    title: numberTitle(template.title, titles),
    files: toProjectFiles(template.files, template.assets),
  });
  // Replaces the history entry if the page was opened directly; a link never adds one.
  const { pathname, search } = new URL(request.url);
  const isOpenedDirectly = location.pathname === pathname;
  const address = `/draft/${id}${search}`;
  throw isOpenedDirectly ? replace(address) : redirect(address);
}
clientLoader.hydrate = true as const;

/**
 * Downloads the assets of a template, so that the copy keeps them when the project loses them. Rejects
 * with a `VitrineError`, among others `asset_missing`.
 */
async function copyAssets(
  { files, assets, project }: TemplateContent,
  page: PageSettings,
  userId: string | null,
): Promise<void> {
  if (assets.length === 0) return;
  const projectFiles = toProjectFiles(files, assets);
  const store = await createLazyAssetStore({ page, userId, files: projectFiles })();
  await store.local.addSources(findAssetSources(projectFiles.values()));
  for (const [, asset] of assets) await store.load(asset, project);
}

export const meta: Route.MetaFunction = () => [{ title: 'New project — Vitrine' }];

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './bootstrap/skeleton.tsx';

/** Never rendered: the loader always redirects. */
export default function Start() {
  return null;
}
