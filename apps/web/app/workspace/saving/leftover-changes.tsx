import type { UnsavedChangesEntry } from '@vitrine/collaboration';
import { findErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useViewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { formatDay } from '../../ui/relative-time.tsx';
import { showErrorToast } from '../../ui/toast.tsx';
import { openLocalStore } from './drafts.ts';
import styles from './unsaved-changes-banner.module.css';

/** Offers unsaved changes on the error page of a project that can't be shown any more. */
export default function LeftoverChanges() {
  const owner = useViewer()?.id ?? null;
  const { slug } = useParams();
  const navigate = useNavigate();
  const [unsaved, setUnsaved] = useState<UnsavedChangesEntry>();
  useEffect(() => {
    let isCanceled = false;
    const find = async () => {
      const store = await openLocalStore(owner);
      const found = (await store.listUnsavedChanges()).find((one) => one.slug === slug);
      if (!isCanceled) setUnsaved(found);
    };
    // Without storage there is nothing to offer.
    if (slug !== undefined) find().catch(() => undefined);
    return () => {
      isCanceled = true;
    };
  }, [owner, slug]);
  if (!unsaved) return null;

  async function open(id: string): Promise<void> {
    try {
      await (await openLocalStore(owner)).convertToDraft(id);
      await navigate(`/draft/${id}`);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  return (
    <aside aria-label="Unsaved changes" className={styles.left}>
      <p>
        Your unsaved changes to “{unsaved.title}” from {formatDay(unsaved.updatedAt, new Date())}{' '}
        are still on this device.
      </p>
      <Button onClick={() => void open(unsaved.id)}>Open as draft</Button>
    </aside>
  );
}
