import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link, useRevalidator } from 'react-router';
import { createAssetLoader } from '../../assets/asset-loader.ts';
import { requestContext } from '../../request-context.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { useViewer } from '../../session/viewer.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Logo } from '../../ui/page/logo.tsx';
import type { Route } from './+types/full';
import { createPreviewAccess } from './preview-access.ts';
import { findPageProject } from '../find-page-project.server.ts';
import styles from './full.module.css';
import type { FoundProject } from '../find-project.server.ts';
import { toProjectFiles } from '../project-files.ts';
import { getWorkspacePath, needsPreviewAccess } from '../sharing/identity.ts';
import { LimitationsNote } from './limitations-note.tsx';
import { choosePagePreviewHost } from './page-preview-host.ts';
import { PreviewController } from './preview-controller.ts';
import { PreviewStatusCard } from './preview-overlay.tsx';

export async function loader({ context, params, request }: Route.LoaderArgs) {
  const { search } = new URL(request.url);
  const address = { ...params, rest: '/full', search };
  const { identity, files, assets } = await findPageProject(context.get(requestContext), address);
  return { identity, files, assets };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  // An error page has its own title.
  loaderData ? [{ title: `${loaderData.identity.title} — Vitrine` }] : [];

export { WorkspaceErrorBoundary as ErrorBoundary } from '../workspace-error-boundary.tsx';

/** Full-page preview of the saved project, with a small bar that links back to the code. */
export default function Full({ loaderData }: Route.ComponentProps) {
  const { identity } = loaderData;
  const [preview] = useState(() => new PreviewController());
  const frame = useSavedResult(preview, loaderData);
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Link to="/" className={styles.home} aria-label="Vitrine, home">
          <Logo size={16} />
        </Link>
        <h1 className={styles.title}>{identity.title}</h1>
        <span className={styles.owner}>{identity.owner}</span>
        <ButtonLink
          to={getWorkspacePath(identity)}
          size="small"
          variant="quiet"
          className={styles.code}
        >
          View code
        </ButtonLink>
      </header>
      <LimitationsNote preview={preview} />
      <main className={styles.stage}>
        <div ref={frame} className={styles.frame} />
        <PreviewStatusCard preview={preview} />
      </main>
    </div>
  );
}

function useSavedResult(preview: PreviewController, { identity, files, assets }: FoundProject) {
  const element = useRef<HTMLDivElement>(null);
  const page = usePageSettings();
  const userId = useViewer()?.id ?? null;
  const { revalidate } = useRevalidator();
  const reloadProject = useEffectEvent(() => void revalidate());
  useEffect(() => {
    if (!element.current) return;
    const controller = new AbortController();
    const previewHost = choosePagePreviewHost(page);
    const key = identity.slug;
    const origin =
      previewHost.transport === 'isolated-origin' ? previewHost.origin(key) : previewHost.origin;
    const address = getWorkspacePath(identity);
    const projectFiles = toProjectFiles(files, assets);
    const project = identity.id;
    void preview.show(
      element.current,
      {
        key,
        previewHost,
        files: projectFiles,
        loadAsset: createAssetLoader({ page, userId, files: projectFiles, project }),
        served: { revision: identity.revision },
        ...(needsPreviewAccess(identity) && {
          requestAccess: createPreviewAccess({ address, origin, key, first: null }),
        }),
      },
      controller.signal,
    );
    let hasRun = false;
    const unsubscribe = preview.state.subscribe(() => {
      const state = preview.state.get();
      if (state.status === 'running') {
        hasRun = true;
        focusPreview(element.current);
      }
      // The user may have lost access. A preview that never ran would fail again.
      if (state.status === 'failed' && state.reason === 'not-allowed' && hasRun) reloadProject();
    });
    return () => {
      unsubscribe();
      controller.abort();
      preview.close();
    };
  }, [preview, identity, files, assets, page, userId]);
  return element;
}

/**
 * Focuses the preview, which has no editor beside it here. Previews never take the focus by
 * themselves.
 */
function focusPreview(stage: HTMLElement | null): void {
  if (document.activeElement === document.body) stage?.querySelector('iframe')?.focus();
}
