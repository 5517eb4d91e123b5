import { linkify } from './linkify.ts';
import styles from './console-value.module.css';

/** Text logged by the page, with URLs as links. The links send no referrer. */
export function LinkifiedText({ text, isCut = false }: { text: string; isCut?: boolean }) {
  return linkify(text, isCut).map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <a
        // The text never changes, so the index is a stable key.
        key={index}
        href={piece.href}
        target="_blank"
        rel="noopener noreferrer"
        tabIndex={-1}
        className={styles.address}
        // Prevents the click from expanding the log entry around it.
        onClick={(event) => event.stopPropagation()}
      >
        {piece.text}
      </a>
    ),
  );
}
