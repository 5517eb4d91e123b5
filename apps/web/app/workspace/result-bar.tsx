import ArrowLeft from 'lucide-react/icons/arrow-left';
import ArrowRight from 'lucide-react/icons/arrow-right';
import ExternalLink from 'lucide-react/icons/external-link';
import Hourglass from 'lucide-react/icons/hourglass';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { ButtonLink } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { AddressField } from './address-field.tsx';
import { DeviceMenu } from './device-menu.tsx';
import { addressOf } from './identity.ts';
import styles from './result-bar.module.css';
import { ResultMenu } from './result-menu.tsx';
import { useSource } from './source.ts';
import type { Workspace } from './workspace.ts';

/** Bar above the preview: history, URL, size and options. */
export function ResultBar({ workspace }: { workspace: Workspace }) {
  const { result } = workspace;
  return (
    <div className={styles.bar}>
      <HistoryButtons workspace={workspace} />
      <IconButton label="Reload result" size="small" onClick={() => result.reload()}>
        <RotateCw aria-hidden />
      </IconButton>
      <AddressField workspace={workspace} />
      <NetworkRulesButton workspace={workspace} />
      <DeviceMenu preview={result} />
      <ResultMenu workspace={workspace} />
      <OpenInNewTab workspace={workspace} />
    </div>
  );
}

function HistoryButtons({ workspace: { result } }: { workspace: Workspace }) {
  const at = useSource(result.at);
  return (
    <>
      <IconButton
        label="Back"
        size="small"
        disabled={!at?.canGoBack}
        onClick={() => result.travel(-1)}
      >
        <ArrowLeft aria-hidden />
      </IconButton>
      <IconButton
        label="Forward"
        size="small"
        disabled={!at?.canGoForward}
        onClick={() => result.travel(1)}
        className={styles.forward}
      >
        <ArrowRight aria-hidden />
      </IconButton>
    </>
  );
}

/** Shows that network rules are on, so that nobody looks elsewhere for the cause of a failure. */
function NetworkRulesButton({ workspace }: { workspace: Workspace }) {
  const activeRules = useSource(workspace.result.network.rules).filter(({ isOn }) => isOn).length;
  if (activeRules === 0) return null;
  const label = activeRules === 1 ? '1 network rule is on' : `${activeRules} network rules are on`;
  return (
    <IconButton
      label={label}
      size="small"
      className={styles.rules}
      onClick={() => workspace.showDock('network')}
    >
      <Hourglass aria-hidden />
    </IconButton>
  );
}

function OpenInNewTab({ workspace }: { workspace: Workspace }) {
  const identity = useSource(workspace.identity);
  if (identity.kind !== 'project') return null;
  return (
    <ButtonLink
      to={`${addressOf(identity)}/full`}
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
