import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import ArrowRight from 'lucide-react/icons/arrow-right';
import ArrowRightToLine from 'lucide-react/icons/arrow-right-to-line';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Redo2 from 'lucide-react/icons/redo-2';
import Undo2 from 'lucide-react/icons/undo-2';
import type { ReactNode } from 'react';
import type { OpenFiles } from '../tabs/open-files.ts';
import styles from './mobile-key-bar.module.css';

/** Characters that take two or three taps on a phone's keyboard. */
const symbols = [...`{}()[]<>/="';:$#&|!\`+-*_`];

/** Editor commands for keys that a phone's keyboard lacks. */
const commands = [
  { id: 'indentMore', label: 'Indent', Icon: ArrowRightToLine },
  { id: 'cursorLeft', label: 'Move cursor left', Icon: ArrowLeft },
  { id: 'cursorUp', label: 'Move cursor up', Icon: ArrowUp },
  { id: 'cursorDown', label: 'Move cursor down', Icon: ArrowDown },
  { id: 'cursorRight', label: 'Move cursor right', Icon: ArrowRight },
  { id: 'undo', label: 'Undo', Icon: Undo2 },
  { id: 'redo', label: 'Redo', Icon: Redo2 },
] as const;

/** Key bar above a phone's keyboard while an editor has the focus. It never takes the focus. */
export function MobileKeyBar({ openFiles }: { openFiles: OpenFiles }) {
  return (
    <div
      role="toolbar"
      aria-label="Editing keys"
      className={styles.bar}
      onPointerDown={(event) => event.preventDefault()}
    >
      {commands.map(({ id, label, Icon }) => (
        <Key key={id} label={label} onPress={() => openFiles.runInEditor(id)}>
          <Icon aria-hidden />
        </Key>
      ))}
      {symbols.map((symbol) => (
        <Key key={symbol} label={symbol} onPress={() => openFiles.insertText(symbol)}>
          {symbol}
        </Key>
      ))}
    </div>
  );
}

interface KeyProps {
  label: string;
  onPress: () => void;
  children: ReactNode;
}

function Key({ label, onPress, children }: KeyProps) {
  return (
    <button type="button" tabIndex={-1} aria-label={label} className={styles.key} onClick={onPress}>
      {children}
    </button>
  );
}
