import { findErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { createCodeLink } from '../../import/formats/code-link.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import type { WorkspaceSession } from '../session.ts';
import styles from './share-dialog.module.css';

/** Copies a link that works without this server keeping anything. */
export default function CodeLinkSection({ session }: { session: WorkspaceSession }) {
  const [isCopying, setCopying] = useState(false);

  async function copy(): Promise<void> {
    setCopying(true);
    await copyCodeLink(session);
    setCopying(false);
  }

  return (
    <div className={styles.row}>
      <p className={styles.label}>
        <span className={styles.name}>Link that contains the code</span>
        <span className={styles.note}>
          Opens a copy of the project as it is now. You can’t change or revoke it.
        </span>
      </p>
      <Button aria-label="Copy link with code" busy={isCopying} onClick={() => void copy()}>
        Copy
      </Button>
    </div>
  );
}

/** Copies a link that contains the project's text files, and reports what happened. */
export async function copyCodeLink(
  session: Pick<WorkspaceSession, 'readFiles' | 'identity'>,
): Promise<void> {
  const files: [path: string, text: string][] = [];
  const assets: string[] = [];
  for (const [path, file] of session.readFiles())
    if (file.kind === 'text') files.push([path, file.text]);
    else assets.push(path);
  const { title } = session.identity.get();
  try {
    const link = await createCodeLink(location.origin, {
      title,
      files,
      ...(assets.length > 0 && { assets }),
    });
    await copyText(link);
  } catch (error) {
    showErrorToast(findErrorCode(error));
    return;
  }
  const count = assets.length === 1 ? '1 non-text file' : `${assets.length} non-text files`;
  showToast({
    title: 'Link copied',
    ...(assets.length > 0 && { description: `It doesn’t include ${count}, such as images.` }),
  });
}
