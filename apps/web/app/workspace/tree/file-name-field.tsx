import { validatePath } from '@vitrine/project';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import styles from './files-panel.module.css';

interface FileNameFieldProps {
  label: string;
  value: string;
  onDone: (path: string) => void;
  /**
   * Called when the field is left without a name. After Escape, the focus should return to the
   * tree.
   */
  onCancel: (how: 'escape' | 'blur') => void;
}

/** Text field for a file path. Enter confirms; Escape and blur cancel. */
export function FileNameField({ label, value, onDone, onCancel }: FileNameFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [path, setPath] = useState(value);
  useEffect(() => field.current?.focus(), []);
  const problem = path === '' ? undefined : validatePath(path.normalize('NFC'));

  function handleKey(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') onCancel('escape');
    if (event.key === 'Enter' && path !== '' && !problem) onDone(path);
  }

  return (
    <div className={styles.field}>
      <input
        ref={field}
        aria-label={label}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? 'file-name-problem' : undefined}
        value={path}
        placeholder="folder/file.js"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onFocus={(event) => selectName(event.currentTarget)}
        onChange={(event) => setPath(event.target.value)}
        onKeyDown={handleKey}
        onBlur={() => onCancel('blur')}
      />
      {problem && (
        <p id="file-name-problem" role="alert" className={styles.problem}>
          Invalid path: {problem}.
        </p>
      )}
    </div>
  );
}

/** Selects the name without its extension, which rarely changes. */
function selectName(input: HTMLInputElement): void {
  const from = input.value.lastIndexOf('/') + 1;
  const dot = input.value.lastIndexOf('.');
  input.setSelectionRange(from, dot > from ? dot : input.value.length);
}
