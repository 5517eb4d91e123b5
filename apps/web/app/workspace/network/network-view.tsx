import type { NetworkRequest } from '@vitrine/sandbox/host';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { NetworkDetails } from './network-details.tsx';
import { NetworkList } from './network-list.tsx';
import { NetworkRules } from './network-rules.tsx';
import {
  filterRequests,
  networkFilters,
  type NetworkFilter,
  type NetworkMonitor,
} from './network-monitor.ts';
import styles from './network-view.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';

interface NetworkViewProps {
  preview: PreviewController;
  openFiles: OpenFiles;
}

/** Network tab. Requests are recorded from the first time it is opened. */
export default function NetworkView({ preview, openFiles }: NetworkViewProps) {
  const { network } = preview;
  const log = useStore(network.log);
  const filter = useStore(network.filter);
  const [openId, setOpenId] = useState<number | null>(null);
  const [showsRules, setShowsRules] = useState(() => network.rules.get().length > 0);
  useEffect(() => network.startRecording(), [network]);
  const openRow = useRef<HTMLButtonElement>(null);

  const shown = filterRequests(log.requests, filter);
  const open = shown.find(({ id }) => id === openId);

  /** Returns the focus to the row of the closed details. */
  function close(): void {
    openRow.current?.focus();
    setOpenId(null);
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    close();
  }

  return (
    <div className={styles.view}>
      <div className={styles.tools}>
        <Filters filter={filter} onChange={(next) => network.filter.set(next)} />
        <RulesButton
          network={network}
          isOpen={showsRules}
          onPress={() => setShowsRules(!showsRules)}
        />
      </div>
      {showsRules && <NetworkRules preview={preview} />}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles Escape for its contents */}
      <div className={styles.split} data-open={open ? '' : undefined} onKeyDown={handleKey}>
        <div className={styles.rows}>
          {shown.length === 0 ? (
            <p className={styles.note}>{emptyMessage(log.requests.length)}</p>
          ) : (
            <NetworkList requests={shown} openId={openId} openRow={openRow} onOpen={setOpenId} />
          )}
          <NetworkNotes preview={preview} requests={log.requests} dropped={log.dropped} />
        </div>
        {open && (
          <NetworkDetails
            // Remounts once the response is there, since more details are available then.
            key={`${open.id} ${open.duration !== null}`}
            network={network}
            onGoTo={openFiles.goTo}
            request={open}
            onClose={close}
          />
        )}
      </div>
    </div>
  );
}

function emptyMessage(all: number): string {
  return all === 0 ? 'No requests yet' : 'No matching requests';
}

interface FiltersProps {
  filter: NetworkFilter;
  onChange: (filter: NetworkFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  return (
    <fieldset aria-label="Show" className={styles.filters}>
      {networkFilters.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={filter === value}
          className={styles.filter}
          onClick={() => onChange(value)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

interface RulesButtonProps {
  network: NetworkMonitor;
  isOpen: boolean;
  onPress: () => void;
}

function RulesButton({ network, isOpen, onPress }: RulesButtonProps) {
  const activeCount = useStore(network.rules).filter(({ isOn }) => isOn).length;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      data-on={activeCount > 0 || undefined}
      className={styles.filter}
      onClick={onPress}
    >
      {activeCount > 0 ? `Network rules: ${activeCount} on` : 'Network rules'}
    </button>
  );
}

interface NetworkNotesProps {
  preview: PreviewController;
  requests: readonly NetworkRequest[];
  dropped: number;
}

/** Notes about requests the list lacks. */
function NetworkNotes({ preview, requests, dropped }: NetworkNotesProps) {
  const hasIncomplete = requests.some(({ method }) => method === '');
  const isSrcdoc = useStore(preview.limitations) !== null;
  return (
    <>
      {dropped > 0 && (
        <p className={styles.note}>
          {dropped.toLocaleString('en')} more {dropped === 1 ? 'request' : 'requests'} not shown
        </p>
      )}
      {hasIncomplete && (
        <p className={styles.note}>
          Some requests started before recording.{' '}
          <Button size="small" variant="quiet" onClick={() => preview.reload()}>
            Reload to capture full details
          </Button>
        </p>
      )}
      {isSrcdoc && (
        <p className={styles.note}>
          In this browser, the list leaves out images and fonts loaded by CSS or scripts, and files
          loaded after an edit.
        </p>
      )}
    </>
  );
}
