import { splitAtAddresses } from './addresses-in-text.ts';
import styles from './console-value.module.css';

/** A text of the page’s, its addresses as links that tell their host nothing of where they stood. */
export function TextWithAddresses({ text, isCut = false }: { text: string; isCut?: boolean }) {
  return splitAtAddresses(text, isCut).map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <a
        // A text never changes, so a piece's place in it is its identity.
        key={index}
        href={piece.href}
        target="_blank"
        rel="noopener noreferrer"
        tabIndex={-1}
        className={styles.address}
        // The line that it is in may open with a press.
        onClick={(event) => event.stopPropagation()}
      >
        {piece.text}
      </a>
    ),
  );
}
