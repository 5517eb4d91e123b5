import type { NetworkRequest } from '@vitrine/sandbox/host';
import type { RefObject } from 'react';
import { formatSize } from '../../ui/format-size.ts';
import { formatStatus, formatDuration } from './network-monitor.ts';
import styles from './network-view.module.css';
import { handleRowKey } from '../../ui/lists/row-keys.ts';

interface NetworkListProps {
  requests: readonly NetworkRequest[];
  openId: number | null;
  /** Row of the open request. */
  openRow: RefObject<HTMLButtonElement | null>;
  onOpen: (id: number | null) => void;
}

/** Request list with a waterfall. */
export function NetworkList({ requests, openId, openRow, onOpen }: NetworkListProps) {
  const end = Math.max(1, ...requests.map(({ start, duration }) => start + (duration ?? 0)));
  return (
    <>
      <div aria-hidden className={`${styles.request} ${styles.heads}`}>
        <span>Method</span>
        <span>URL</span>
        <span className={styles.kind}>Type</span>
        <span className={styles.from}>Source</span>
        <span className={styles.number}>Status</span>
        <span className={styles.number}>Size</span>
        <span className={styles.number}>Time</span>
        <span className={styles.lane} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between its buttons */}
      <ul aria-label="Requests" onKeyDown={handleRowKey}>
        {requests.map((request) => (
          <li key={request.id}>
            <Request
              ref={openId === request.id ? openRow : undefined}
              request={request}
              end={end}
              isOpen={openId === request.id}
              onPress={() => onOpen(openId === request.id ? null : request.id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

const kindLabels: Readonly<Record<NetworkRequest['kind'], string>> = {
  page: 'Document',
  fetch: 'Fetch',
  script: 'Script',
  style: 'Style',
  image: 'Image',
  font: 'Font',
  media: 'Media',
  socket: 'Socket',
  other: 'Other',
};

export const requestSourceLabels: Readonly<Record<NetworkRequest['from'], string>> = {
  project: 'Project',
  package: 'Package',
  outside: 'External',
};

interface RequestProps {
  ref: RefObject<HTMLButtonElement | null> | undefined;
  request: NetworkRequest;
  end: number;
  isOpen: boolean;
  onPress: () => void;
}

function Request({ ref, request, end, isOpen, onPress }: RequestProps) {
  const { method, address, kind, from, start, duration, size, hasFailed } = request;
  return (
    <button
      ref={ref}
      type="button"
      data-row
      data-failed={hasFailed || undefined}
      aria-expanded={isOpen}
      className={styles.request}
      onClick={onPress}
    >
      <span>{method || '–'}</span>
      <span className={styles.address} title={address}>
        {shortenUrl(address)}
      </span>
      <span className={styles.kind}>{kindLabels[kind]}</span>
      <span className={styles.from}>{requestSourceLabels[from]}</span>
      <span className={styles.number}>{formatStatus(request)}</span>
      <span className={styles.number}>{size === null ? '–' : formatSize(size)}</span>
      <span className={styles.number}>{formatDuration(duration)}</span>
      <span aria-hidden className={styles.lane}>
        <span
          className={styles.time}
          style={{
            insetInlineStart: `${(start / end) * 100}%`,
            width: `${((duration ?? end - start) / end) * 100}%`,
          }}
        />
      </span>
    </button>
  );
}

/** "https://api.example.com/v1/users?page=2" → "api.example.com/…/users?page=2" */
function shortenUrl(address: string): string {
  const outside = /^[a-z]+:\/\/([^/]+)(\/.*)?$/i.exec(address);
  if (!outside) return address;
  const [, host = '', path = '/'] = outside;
  const last = path.slice(path.replace(/\?.*$/, '').lastIndexOf('/'));
  return last === path ? host + path : `${host}/…${last}`;
}
