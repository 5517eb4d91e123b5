import type { AssetFile } from '@vitrine/project';
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatSize } from '../../ui/format-size.ts';
import { keepFocus } from '../../ui/keep-focus.ts';
import { showToast } from '../../ui/toast.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import type { WorkspaceSession } from '../session.ts';
import { basename } from '../tree/file-paths.ts';
import type { ProjectTree } from '../tree/project-tree.ts';
import styles from './asset-view.module.css';

interface AssetViewProps {
  session: WorkspaceSession;
  tree: ProjectTree;
  path: string;
  asset: AssetFile;
}

/** Number of lines and characters shown of an asset that is text. */
const maxLines = 200;
const maxCharacters = 20_000;

/** Tab of an asset: a preview, what is known of it, and actions. */
export default function AssetView({ session, tree, path, asset }: AssetViewProps) {
  async function copyPath(): Promise<void> {
    await copyText(path);
    showToast({ title: 'Copied path' });
  }

  return (
    <AssetPane loadAsset={session.loadAsset} path={path} asset={asset}>
      <Button size="small" onClick={() => tree.replaceFile(path)}>
        Replace…
      </Button>
      <Button size="small" onClick={() => void tree.download([path])}>
        Download
      </Button>
      <Button size="small" onClick={() => void copyPath()}>
        Copy path
      </Button>
    </AssetPane>
  );
}

interface AssetPaneProps {
  loadAsset: (asset: AssetFile) => Promise<Blob>;
  path: string;
  asset: AssetFile;
  /** Actions beside what is known of the asset. */
  children?: ReactNode;
}

/** Preview of an asset, above its type, dimensions and size. */
export function AssetPane({ loadAsset, path, asset, children }: AssetPaneProps) {
  /** Dimensions or duration of the asset with this key. */
  const [measured, setMeasured] = useState({ key: '', text: '' });
  const view = useMemo(() => keepFocus(), []);
  const key = `${asset.hash} ${asset.mediaType}`;
  const { value: bytes, failure, retry } = useLoaded(key, () => loadAsset(asset));
  const dimensions = measured.key === key ? measured.text : '';
  const details = [asset.mediaType, dimensions, formatSize(asset.size)].filter(Boolean).join(' · ');
  return (
    <div ref={view} className={styles.view}>
      <div className={styles.stage} aria-busy={!bytes && !failure}>
        {failure && (
          <ErrorNotice code={failure}>
            <Button size="small" onClick={retry}>
              Try again
            </Button>
          </ErrorNotice>
        )}
        {bytes && (
          <AssetPreview
            key={key}
            {...{ path, asset, bytes }}
            measure={(text) => setMeasured({ key, text })}
          />
        )}
      </div>
      <footer className={styles.bar}>
        <p className={styles.details}>{details}</p>
        {children}
      </footer>
    </div>
  );
}

interface AssetPreviewProps {
  path: string;
  asset: AssetFile;
  bytes: Blob;
  measure: (measured: string) => void;
}

function AssetPreview({ path, asset, bytes, measure }: AssetPreviewProps) {
  const source = useSource(bytes);
  const [isBroken, setBroken] = useState(false);
  const [kind] = asset.mediaType.split('/');
  const fail = () => setBroken(true);
  if (isBroken) return <Broken />;
  switch (kind) {
    case 'image':
      return (
        <img
          className={styles.image}
          ref={source}
          alt={basename(path)}
          // Dropped on the tree, it would be added as a file.
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            measure(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={fail}
        />
      );
    case 'audio':
      return (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- The file of a user may have none.
        <audio
          controls
          ref={source}
          aria-label={basename(path)}
          onLoadedMetadata={({ currentTarget }) => measure(formatSeconds(currentTarget.duration))}
          onError={fail}
        />
      );
    case 'video':
      return (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- The file of a user may have none.
        <video
          controls
          className={styles.image}
          ref={source}
          aria-label={basename(path)}
          onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight, duration } }) =>
            measure(`${videoWidth} × ${videoHeight} · ${formatSeconds(duration)}`)
          }
          onError={fail}
        />
      );
    case 'font':
      return <FontPreview bytes={bytes} />;
    case 'text':
      return <TextPreview bytes={bytes} />;
    default:
      return /[/+]json$/.test(asset.mediaType) ? (
        <TextPreview bytes={bytes} />
      ) : (
        <p className={styles.none}>There’s no preview for this type of file.</p>
      );
  }
}

/** Returns a ref of an element that loads bytes by a URL, which ends with the element. */
function useSource(bytes: Blob) {
  return useCallback(
    (element: HTMLImageElement | HTMLMediaElement | null) => {
      if (!element) return undefined;
      const url = URL.createObjectURL(bytes);
      element.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [bytes],
  );
}

function Broken() {
  return <p className={styles.none}>Your browser can’t show this file.</p>;
}

/** Numbers the families, so that two fonts in two editor groups don't replace each other. */
let fontCount = 0;

function FontPreview({ bytes }: { bytes: Blob }) {
  /** Name of the loaded font; null if the browser can't load it. */
  const [family, setFamily] = useState<string | null>();
  useEffect(() => {
    let face: FontFace | undefined;
    let isCurrent = true;
    const load = async () => {
      fontCount += 1;
      const name = `asset-${fontCount}`;
      const created = new FontFace(name, await bytes.arrayBuffer());
      await created.load();
      if (!isCurrent) return;
      face = created;
      document.fonts.add(face);
      setFamily(name);
    };
    load().catch(() => isCurrent && setFamily(null));
    return () => {
      isCurrent = false;
      if (face) document.fonts.delete(face);
    };
  }, [bytes]);
  if (family === undefined) return null;
  if (family === null) return <Broken />;
  return (
    <div className={styles.font} style={{ fontFamily: family }}>
      {[48, 32, 20, 15].map((size) => (
        <p key={size} style={{ fontSize: size }}>
          The quick brown fox jumps over the lazy dog
        </p>
      ))}
      <p>ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789</p>
    </div>
  );
}

/** Beginning of a text in whatever encoding. */
function TextPreview({ bytes }: { bytes: Blob }) {
  const [text, setText] = useState('');
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const head = new Uint8Array(await bytes.slice(0, maxCharacters * 4).arrayBuffer());
      if (isCurrent) setText(decode(head));
    };
    // The bytes are in memory, so reading them doesn't fail.
    void read();
    return () => void (isCurrent = false);
  }, [bytes]);
  const shown = text.slice(0, maxCharacters).split('\n', maxLines).join('\n');
  return (
    <textarea className={styles.text} readOnly wrap="off" aria-label="Contents" value={shown} />
  );
}

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  const bom = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  if (bom === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  if (bom === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // The last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** 83.4 → "1:23" */
function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
