import { describeError, findErrorCode, validateTitle } from '@vitrine/project';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { showErrorToast } from '../../ui/toast.tsx';
import { formatTabTitle } from './identity.ts';
import styles from '../layout/top-bar.module.css';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';

/** Project title. A user who may rename it can edit it in place. */
export function Title({ session }: { session: WorkspaceSession }) {
  const identity = useStore(session.identity);
  const [isEditing, setEditing] = useState(false);
  // The router's title is that of the last load.
  useEffect(() => {
    document.title = formatTabTitle(identity);
  }, [identity]);
  const mayRename = identity.kind === 'draft' || identity.role === 'owner';

  async function rename(title: string): Promise<void> {
    setEditing(false);
    if (title === identity.title) return;
    try {
      await session.rename(title);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  if (isEditing) {
    return <TitleField title={identity.title} onDone={rename} onCancel={() => setEditing(false)} />;
  }
  return (
    <h1 className={styles.title}>
      {mayRename ? (
        <button
          type="button"
          className={styles.titleButton}
          title="Rename"
          onClick={() => setEditing(true)}
        >
          {identity.title}
        </button>
      ) : (
        <span className={styles.titleText}>{identity.title}</span>
      )}
    </h1>
  );
}

interface TitleFieldProps {
  title: string;
  onDone: (title: string) => void;
  onCancel: () => void;
}

/**
 * Enter and blur save a valid title. An invalid one stays in the field with an error, so that
 * nothing typed is lost. Escape, and blur with an empty field, restore the old title.
 */
function TitleField({ title, onDone, onCancel }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(title);
  useEffect(() => field.current?.focus(), []);
  const problem = validateTitle(typed);

  function submit(): void {
    if (!problem) onDone(typed.trim());
  }

  function handleKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') onCancel();
    if (event.key === 'Enter') submit();
  }

  return (
    <span className={styles.titleEdit}>
      <input
        ref={field}
        aria-label="Title"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? 'title-problem' : undefined}
        className={styles.titleField}
        value={typed}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={handleKey}
        onBlur={typed.trim() === '' ? onCancel : submit}
      />
      {problem && (
        <span id="title-problem" role="alert" className={styles.titleProblem}>
          {describeError(problem).message}
        </span>
      )}
    </span>
  );
}
