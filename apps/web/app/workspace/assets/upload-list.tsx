import { describeError } from '@vitrine/project';
import RotateCw from 'lucide-react/icons/rotate-cw';
import X from 'lucide-react/icons/x';
import { useMemo } from 'react';
import { formatSize } from '../../ui/format-size.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { keepFocus } from '../../ui/keep-focus.ts';
import { keepToastsAbove } from '../../ui/toast.tsx';
import { mainName, type LayoutController } from '../layout/layout-controller.ts';
import { basename } from '../tree/file-paths.ts';
import { useStore } from '../value-store.ts';
import type { ProjectAssets } from './project-assets.ts';
import styles from './upload-list.module.css';
import type { Upload, UploadState } from './uploads.ts';

interface UploadListProps {
  assets: ProjectAssets;
  layout: LayoutController;
}

/** Floating list of uploads, with progress and buttons to cancel and retry. */
export default function UploadList({ assets, layout }: UploadListProps) {
  const uploads = useStore(assets.uploads);
  const list = useMemo(() => keepFocus(() => layout.requestedFocus.set(mainName)), [layout]);
  return (
    <section ref={keepToastsAbove} className={styles.card} aria-label="Uploads">
      <output className={styles.title}>{summarize(uploads)}</output>
      <ul ref={list} className={styles.list}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} assets={assets} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload, assets }: { upload: Upload; assets: ProjectAssets }) {
  const { id, path, size, state } = upload;
  const sent = state.status === 'uploading' ? state.sent : 0;
  return (
    <li className={styles.row} data-status={state.status}>
      <span className={styles.name} title={path}>
        {basename(path)}
      </span>
      {state.status === 'failed' || state.status === 'waiting' ? (
        <IconButton
          label={`Retry ${path}`}
          size="small"
          onClick={() => void assets.retryUpload(id)}
        >
          <RotateCw aria-hidden />
        </IconButton>
      ) : null}
      <IconButton
        label={`Cancel ${path}`}
        size="small"
        onClick={() => void assets.cancelUpload(id)}
      >
        <X aria-hidden />
      </IconButton>
      <p className={styles.state}>{describeState(state, size)}</p>
      {state.status === 'uploading' && (
        <progress className={styles.progress} max={size} value={sent} aria-label={path} />
      )}
    </li>
  );
}

/** "Uploading 3 files", or what keeps all of them from being uploaded. */
function summarize(uploads: readonly Upload[]): string {
  const count = uploads.length === 1 ? '1 file' : `${uploads.length} files`;
  const isAll = (...statuses: UploadState['status'][]) =>
    uploads.every(({ state }) => statuses.includes(state.status));
  if (isAll('failed')) return `Couldn’t upload ${count}`;
  return isAll('waiting', 'failed') ? `${count} waiting for connection` : `Uploading ${count}`;
}

function describeState(state: UploadState, size: number): string {
  switch (state.status) {
    case 'queued':
      return 'Waiting for other uploads';
    case 'uploading':
      return `${formatSize(Math.min(state.sent, size))} of ${formatSize(size)}`;
    case 'waiting':
      return 'Waiting for connection';
    case 'failed': {
      const { message, action } = describeError(state.code);
      return `${message} ${action}`;
    }
  }
}
