import ExternalLink from 'lucide-react/icons/external-link';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useEffect, useRef } from 'react';
import { ButtonLink } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { addressOf } from './identity.ts';
import styles from './result-cell.module.css';
import { ResultOverlay } from './result-overlay.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** The running project under its own slim bar. */
export function ResultCell({ workspace }: { workspace: Workspace }) {
  return (
    <section className={styles.cell} aria-label="Result and its controls">
      <ResultBar workspace={workspace} />
      <div className={styles.stage}>
        <ResultFrame workspace={workspace} />
        <ResultOverlay workspace={workspace} />
      </div>
    </section>
  );
}

function ResultBar({ workspace }: { workspace: Workspace }) {
  const identity = useSource(workspace.identity);
  const missing = useSource(workspace.result.missing);
  const page = useSource(workspace.result.page);
  const line = missing ?? (page === null ? '' : addressInProject(page));
  return (
    <div className={styles.bar}>
      <IconButton label="Reload result" size="small" onClick={() => workspace.result.run()}>
        <RotateCw aria-hidden />
      </IconButton>
      <span className={styles.address} title={line}>
        {line}
      </span>
      {identity.kind === 'project' && (
        <ButtonLink
          to={`${addressOf(identity)}/full`}
          target="_blank"
          size="small"
          variant="quiet"
          aria-label="Open the result alone"
          title="Open the result alone"
          className={styles.alone ?? ''}
        >
          <ExternalLink aria-hidden />
        </ButtonLink>
      )}
    </div>
  );
}

/** `about/index.html` → `/about/`, as a link in the project would say it. */
function addressInProject(path: string): string {
  return `/${path.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Where the project runs, from now until the workspace closes. */
export function ResultFrame({ workspace }: { workspace: Workspace }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current) void workspace.showResult(element.current);
  }, [workspace]);
  return <div ref={element} className={styles.frame} />;
}
