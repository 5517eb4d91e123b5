import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { WorkspaceSession } from '../session.ts';
import { copyCodeLink } from './code-link.ts';
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
    <div className={styles.body}>
      <p className={styles.text}>
        A link with code contains the project as it is now. Anyone with it gets a copy, and you
        can’t change or revoke it.
      </p>
      <div className={styles.choices}>
        <Button busy={isCopying} onClick={() => void copy()}>
          Copy link with code
        </Button>
      </div>
    </div>
  );
}
