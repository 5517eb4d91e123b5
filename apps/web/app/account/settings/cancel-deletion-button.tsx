import { findErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { useClient } from '../../session/use-client.ts';
import type { Viewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';

/** Cancels the pending deletion of the account. */
export function CancelDeletionButton({ viewer }: { viewer: Viewer }) {
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  const [busy, setBusy] = useState(false);

  const cancelDeletion = async () => {
    setBusy(true);
    const { error } = await (await getClient()).from('deletions').delete().eq('person', viewer.id);
    if (!error) await revalidate();
    setBusy(false);
    if (error) return showErrorToast(findErrorCode(error));
    return showToast({ title: 'Account deletion canceled' });
  };

  return (
    <Button size="small" busy={busy} onClick={cancelDeletion}>
      Keep my account
    </Button>
  );
}
