import { isMac, namesOfPress, typesSigns } from '@vitrine/editor/press';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import styles from './key-list.module.css';

interface KeyFieldProps {
  label: string;
  /** The key that was pressed, or none where Escape was. */
  onEnd: (key?: string) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

/** Takes the next press that a command can have; says why it does not take another. */
export function KeyField({ label, onEnd, onLeave }: KeyFieldProps) {
  const element = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string>();
  const press = useEffectEvent((event: KeyboardEvent) => {
    // Tab goes on, as everywhere.
    if (event.key === 'Tab') return;
    event.preventDefault();
    // The dialog around it would close by Escape.
    event.stopPropagation();
    if (event.key === 'Escape') return onEnd();
    const key = namesOfPress(event).at(-1);
    if (key === undefined) return;
    const reason = findRefusal(key);
    setRefusal(reason);
    if (reason === undefined) onEnd(key);
  });
  useEffect(() => {
    const field = element.current;
    const listen = (event: KeyboardEvent) => press(event);
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
      <output className={styles.refusal}>{refusal}</output>
    </span>
  );
}

const keptByBrowsers = /^Mod-(?:Shift-)?(?:[ntwq]|\d)$/;

/** Why no command can have a key, as a sentence. */
function findRefusal(key: string): string | undefined {
  if (!/^(?:(?:Mod|Ctrl|Meta|Alt)-|(?:Shift-)?F\d+$)/.test(key)) return 'Include Ctrl, Alt or Cmd.';
  if (typesSigns(key)) return 'Ctrl+Alt with a letter types a character on some keyboards.';
  if (keptByBrowsers.test(key)) return 'Reserved by the browser.';
  return isMac() && /^Alt-[^-]$/.test(key) ? 'Option with a letter types a character.' : undefined;
}
