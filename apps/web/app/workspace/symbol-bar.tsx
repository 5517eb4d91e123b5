import styles from './symbol-bar.module.css';
import type { Workspace } from './workspace.ts';

/** What takes two or three presses to find on a phone's keyboard. */
const symbols = [...`{}()[]<>/="';:$#&|!\`+-*_`];

/** What such a keyboard has no key for, as commands of the editor. */
const moves = [
  { id: 'indentMore', label: 'Indent', shown: '⇥' },
  { id: 'cursorLeft', label: 'Left', shown: '←' },
  { id: 'cursorUp', label: 'Up', shown: '↑' },
  { id: 'cursorDown', label: 'Down', shown: '↓' },
  { id: 'cursorRight', label: 'Right', shown: '→' },
  { id: 'undo', label: 'Undo', shown: '↶' },
  { id: 'redo', label: 'Redo', shown: '↷' },
] as const;

/** Above a phone's keyboard while an editor has the focus; it never takes the focus away. */
export function SymbolBar({ workspace }: { workspace: Workspace }) {
  return (
    <div
      role="toolbar"
      aria-label="Symbols"
      className={styles.bar}
      onPointerDown={(event) => event.preventDefault()}
    >
      {moves.map(({ id, label, shown }) => (
        <Key
          key={id}
          label={label}
          shown={shown}
          onPress={() => workspace.openFiles.runInEditor(id)}
        />
      ))}
      {symbols.map((symbol) => (
        <Key
          key={symbol}
          label={symbol}
          shown={symbol}
          onPress={() => workspace.openFiles.type(symbol)}
        />
      ))}
    </div>
  );
}

interface KeyProps {
  label: string;
  shown: string;
  onPress: () => void;
}

function Key({ label, shown, onPress }: KeyProps) {
  return (
    <button type="button" tabIndex={-1} aria-label={label} className={styles.key} onClick={onPress}>
      {shown}
    </button>
  );
}
