import ArrowLeft from 'lucide-react/icons/arrow-left';
import ArrowRight from 'lucide-react/icons/arrow-right';
import ExternalLink from 'lucide-react/icons/external-link';
import Hourglass from 'lucide-react/icons/hourglass';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { ButtonLink } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { AddressField } from './address-field.tsx';
import { DeviceMenu } from './device-menu.tsx';
import { getWorkspacePath } from '../sharing/identity.ts';
import styles from './preview-bar.module.css';
import { PreviewMenu } from './preview-menu.tsx';
import type { LayoutController } from '../layout/layout-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import type { PreviewController } from './preview-controller.ts';
import { useStore } from '../value-store.ts';

interface PreviewBarProps {
  preview: PreviewController;
  session: WorkspaceSession;
  layout: LayoutController;
}

/** Bar above the preview: history, URL, size and options. */
export function PreviewBar({ preview, session, layout }: PreviewBarProps) {
  return (
    <div className={styles.bar}>
      <HistoryButtons preview={preview} />
      <IconButton label="Reload result" size="small" onClick={() => preview.reload()}>
        <RotateCw aria-hidden />
      </IconButton>
      <AddressField preview={preview} paths={session.paths} />
      <NetworkRulesButton preview={preview} layout={layout} />
      <DeviceMenu preview={preview} />
      <PreviewMenu {...{ preview, session, layout }} />
      <OpenInNewTab session={session} />
    </div>
  );
}

function HistoryButtons({ preview }: Pick<PreviewBarProps, 'preview'>) {
  const at = useStore(preview.location);
  return (
    <>
      <IconButton
        label="Back"
        size="small"
        disabled={!at?.canGoBack}
        onClick={() => preview.goInHistory(-1)}
      >
        <ArrowLeft aria-hidden />
      </IconButton>
      <IconButton
        label="Forward"
        size="small"
        disabled={!at?.canGoForward}
        onClick={() => preview.goInHistory(1)}
        className={styles.forward}
      >
        <ArrowRight aria-hidden />
      </IconButton>
    </>
  );
}

/** Shows that network rules are on, so that nobody looks elsewhere for the cause of a failure. */
function NetworkRulesButton({ preview, layout }: Omit<PreviewBarProps, 'session'>) {
  const activeRules = useStore(preview.network.rules).filter(({ isOn }) => isOn).length;
  if (activeRules === 0) return null;
  const label = activeRules === 1 ? '1 network rule is on' : `${activeRules} network rules are on`;
  return (
    <IconButton
      label={label}
      size="small"
      className={styles.rules}
      onClick={() => layout.showBottomPanel('network')}
    >
      <Hourglass aria-hidden />
    </IconButton>
  );
}

function OpenInNewTab({ session }: Pick<PreviewBarProps, 'session'>) {
  const identity = useStore(session.identity);
  if (identity.kind !== 'project') return null;
  return (
    <ButtonLink
      to={`${getWorkspacePath(identity)}/full`}
      target="_blank"
      size="small"
      variant="quiet"
      aria-label="Open in new tab"
      title="Open in new tab"
      className={styles.alone ?? ''}
    >
      <ExternalLink aria-hidden />
    </ButtonLink>
  );
}
