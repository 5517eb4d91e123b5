import styles from './symbol-bar.module.css';
import type { Workspace } from './workspace.ts';

/** What takes two or three presses to find on a phone's keyboard. */
const symbols = [...`{}()[]<>/="';:$#&|!\`+-*_`];

/** Above a phone's keyboard while an editor has the focus; it never takes the focus away. */
export function SymbolBar({ workspace }: { workspace: Workspace }) {
  return (
    <div
      role="toolbar"
      aria-label="Symbols"
      className={styles.bar}
      onPointerDown={(event) => event.preventDefault()}
    >
      <Key label="Indent" text="  " shown="⇥" workspace={workspace} />
      {symbols.map((symbol) => (
        <Key key={symbol} label={symbol} text={symbol} shown={symbol} workspace={workspace} />
      ))}
    </div>
  );
}

interface KeyProps {
  label: string;
  text: string;
  shown: string;
  workspace: Workspace;
}

function Key({ label, text, shown, workspace }: KeyProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={label}
      className={styles.key}
      onClick={() => workspace.openFiles.type(text)}
    >
      {shown}
    </button>
  );
}
