import { placeWords, type CodePlace } from './code-place.ts';
import styles from './source-link.module.css';

export type GoTo = (place: CodePlace) => void;

interface SourceLinkProps {
  place: CodePlace;
  onGoTo: GoTo;
  /** In a tree: what Enter does on the item that it is in. */
  isAct?: boolean;
}

/** "script.js:12", which leads there; nothing where the place cannot be told. */
export function SourceLink({ place, onGoTo, isAct }: SourceLinkProps) {
  const words = placeWords(place);
  if (words === '') return null;
  return (
    <button
      type="button"
      className={styles.link}
      {...(isAct && { 'data-act': '', tabIndex: -1 })}
      onClick={() => onGoTo(place)}
    >
      {words}
    </button>
  );
}
