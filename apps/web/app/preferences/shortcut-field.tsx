import { isMac, isTypedWithAlt, listKeyNames, typesCharacter } from '@vitrine/editor/key-names';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import styles from './shortcut-list.module.css';

interface KeyFieldProps {
  label: string;
  /** Called with the shortcut that was pressed, or without one for Escape. */
  onEnd: (key?: string) => void;
  /** Called when the field loses the focus. */
  onLeave: () => void;
}

/** Records the next valid shortcut, and explains why a key press is invalid. */
export function ShortcutField({ label, onEnd, onLeave }: KeyFieldProps) {
  const element = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string>();
  const handleKeyDown = useEffectEvent((event: KeyboardEvent) => {
    // Tab moves the focus, as everywhere.
    if (event.key === 'Tab') return;
    event.preventDefault();
    // Escape would close the dialog.
    event.stopPropagation();
    if (event.key === 'Escape') return onEnd();
    if (isTypedWithAlt(event)) return setError(typedMessage());
    const key = listKeyNames(event).at(-1);
    if (key === undefined) return;
    const invalid = validateKey(key);
    setError(invalid);
    if (invalid === undefined) onEnd(key);
  });
  useEffect(() => {
    const field = element.current;
    const listen = (event: KeyboardEvent) => handleKeyDown(event);
    field?.addEventListener('keydown', listen);
    field?.focus();
    return () => field?.removeEventListener('keydown', listen);
  }, []);
  return (
    <span className={styles.recording}>
      <input
        ref={element}
        readOnly
        aria-label={label}
        placeholder="Press a shortcut"
        className={styles.field}
        onBlur={() => onLeave()}
      />
      <output className={styles.error}>{error}</output>
    </span>
  );
}

function typedMessage(): string {
  return isMac()
    ? 'Option with a letter types a character.'
    : 'Ctrl+Alt with a letter types a character on some keyboards.';
}

const reservedByBrowsers = /^Mod-(?:Shift-)?(?:[ntwq]|\d)$/;

/** Returns an error message if commands can't use a key, such as "Mod-t". */
function validateKey(key: string): string | undefined {
  if (!/^(?:(?:Mod|Ctrl|Meta|Alt)-|(?:Shift-)?F\d+$)/.test(key))
    return isMac() ? 'Include Control, Option, or Command.' : 'Include Ctrl or Alt.';
  if (typesCharacter(key)) return typedMessage();
  return reservedByBrowsers.test(key) ? 'Reserved by the browser.' : undefined;
}
