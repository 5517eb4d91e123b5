import type { ErrorCode } from '@vitrine/project';
import { useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { useClient } from '../../session/use-client.ts';
import { useAvatarUrl, getViewerName, type Viewer } from '../../session/viewer.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { showToast } from '../../ui/toast.tsx';
import type * as PictureModule from './picture.ts';
import styles from './picture-field.module.css';

/** The user's avatar. Changes are saved immediately, without submitting the form. */
export function PictureField({ viewer }: { viewer: Viewer }) {
  const inputRef = useRef<HTMLInputElement>(null);
  const avatarUrl = useAvatarUrl(viewer);
  const { busy, error, change, remove } = usePicture(viewer);
  return (
    <fieldset aria-label="Picture" className={styles.field}>
      <Avatar name={getViewerName(viewer)} picture={avatarUrl} size={64} />
      <input
        ref={inputRef}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
        aria-label="Picture file"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // Without this, choosing the same file again would fire no event.
          currentTarget.value = '';
          if (file) void change(file);
        }}
      />
      <div className={styles.buttons}>
        <Button busy={busy} onClick={() => inputRef.current?.click()}>
          Change picture
        </Button>
        {viewer.avatarPath !== null && (
          <Button variant="quiet" disabled={busy} onClick={() => void remove()}>
            Remove picture
          </Button>
        )}
      </div>
      {error && <ErrorNotice code={error} />}
    </fieldset>
  );
}

function usePicture(viewer: Viewer) {
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorCode>();
  const { id, avatarPath } = viewer;

  const run = async (
    work: (
      supabase: Awaited<ReturnType<typeof getClient>>,
      picture: typeof PictureModule,
    ) => Promise<ErrorCode | undefined>,
    successMessage: string,
  ) => {
    setBusy(true);
    const code = await work(await getClient(), await import('./picture.ts'));
    setError(code);
    if (code === undefined) {
      await revalidate();
      showToast({ title: successMessage });
    }
    setBusy(false);
  };
  const change = (file: Blob) =>
    run(
      (supabase, picture) => picture.uploadPicture(supabase, id, avatarPath, file),
      'Picture changed',
    );
  const remove = () =>
    run(
      async (supabase, picture) =>
        avatarPath === null ? undefined : picture.removePicture(supabase, id, avatarPath),
      'Picture removed',
    );
  return { busy, error, change, remove };
}
