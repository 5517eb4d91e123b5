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
import { useStore } from '../value-store.ts';
import type { Workspace } from '../workspace.ts';

/** Bar above the preview: history, URL, size and options. */
export function PreviewBar({ workspace }: { workspace: Workspace }) {
  const { preview: result } = workspace;
  return (
    <div className={styles.bar}>
      <HistoryButtons workspace={workspace} />
      <IconButton label="Reload result" size="small" onClick={() => result.reload()}>
        <RotateCw aria-hidden />
      </IconButton>
      <AddressField workspace={workspace} />
      <NetworkRulesButton workspace={workspace} />
      <DeviceMenu preview={result} />
      <PreviewMenu workspace={workspace} />
      <OpenInNewTab workspace={workspace} />
    </div>
  );
}

function HistoryButtons({ workspace: { preview: result } }: { workspace: Workspace }) {
  const at = useStore(result.location);
  return (
    <>
      <IconButton
        label="Back"
        size="small"
        disabled={!at?.canGoBack}
        onClick={() => result.goInHistory(-1)}
      >
        <ArrowLeft aria-hidden />
      </IconButton>
      <IconButton
        label="Forward"
        size="small"
        disabled={!at?.canGoForward}
        onClick={() => result.goInHistory(1)}
        className={styles.forward}
      >
        <ArrowRight aria-hidden />
      </IconButton>
    </>
  );
}

/** Shows that network rules are on, so that nobody looks elsewhere for the cause of a failure. */
function NetworkRulesButton({ workspace }: { workspace: Workspace }) {
  const activeRules = useStore(workspace.preview.network.rules).filter(({ isOn }) => isOn).length;
  if (activeRules === 0) return null;
  const label = activeRules === 1 ? '1 network rule is on' : `${activeRules} network rules are on`;
  return (
    <IconButton
      label={label}
      size="small"
      className={styles.rules}
      onClick={() => workspace.showBottomPanel('network')}
    >
      <Hourglass aria-hidden />
    </IconButton>
  );
}

function OpenInNewTab({ workspace }: { workspace: Workspace }) {
  const identity = useStore(workspace.identity);
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
