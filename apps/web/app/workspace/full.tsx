import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { requestContext } from '../request-context.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';
import type { Route } from './+types/full';
import { createEntrance } from './entrance.ts';
import { findPageProject } from './find-page-project.server.ts';
import styles from './full.module.css';
import { addressOf, type ProjectIdentity } from './identity.ts';
import { MissingLine } from './missing-line.tsx';
import { choosePagePlace } from './preview-place.ts';
import { Result } from './result.ts';
import { ResultNotice } from './result-overlay.tsx';

export async function loader({ context, params, request }: Route.LoaderArgs) {
  const { search } = new URL(request.url);
  const address = { ...params, rest: '/full', search };
  const { identity, files } = await findPageProject(context.get(requestContext), address);
  return { identity, files };
}

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: loaderData ? `${loaderData.identity.title} — Vitrine` : 'Page not found — Vitrine' },
];

export { RouteTrouble as ErrorBoundary } from './route-trouble.tsx';

/** Full-page preview of the saved project, with a small bar that links back to the code. */
export default function Full({ loaderData }: Route.ComponentProps) {
  const { identity, files } = loaderData;
  const [preview] = useState(() => new Result());
  const frame = useSavedResult(preview, identity, files);
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Link to="/" className={styles.home} aria-label="Vitrine, home">
          <Mark size={16} />
        </Link>
        <h1 className={styles.title}>{identity.title}</h1>
        <span className={styles.owner}>{identity.owner}</span>
        <ButtonLink to={addressOf(identity)} size="small" variant="quiet" className={styles.code}>
          View code
        </ButtonLink>
      </header>
      <MissingLine preview={preview} />
      <main className={styles.stage}>
        <div ref={frame} className={styles.frame} />
        <ResultNotice preview={preview} />
      </main>
    </div>
  );
}

function useSavedResult(
  preview: Result,
  identity: ProjectIdentity,
  files: readonly (readonly [string, string])[],
) {
  const element = useRef<HTMLDivElement>(null);
  const page = usePageSettings();
  useEffect(() => {
    if (!element.current) return;
    const controller = new AbortController();
    const place = choosePagePlace(page);
    const key = identity.slug;
    const origin = place.path === 'served' ? place.origin(key) : place.origin;
    const address = addressOf(identity);
    const isPrivate = identity.visibility === 'private';
    void preview.show(
      element.current,
      {
        key,
        place,
        files: new Map(files),
        served: { revision: identity.revision },
        ...(isPrivate && { enter: createEntrance({ address, origin, key, first: null }) }),
      },
      controller.signal,
    );
    const unsubscribe = preview.state.subscribe(() => {
      if (preview.state.get().status === 'running') focusPreview(element.current);
    });
    return () => {
      unsubscribe();
      controller.abort();
      preview.close();
    };
  }, [preview, identity, files, page]);
  return element;
}

/**
 * Focuses the preview, which has no editor beside it here. Previews never take the focus by
 * themselves.
 */
function focusPreview(stage: HTMLElement | null): void {
  if (document.activeElement === document.body) stage?.querySelector('iframe')?.focus();
}
