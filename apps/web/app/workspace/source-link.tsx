import { placeWords, type CodePlace } from './code-place.ts';
import styles from './source-link.module.css';

export type GoTo = (place: CodePlace) => void;

interface SourceLinkProps {
  place: CodePlace;
  onGoTo: GoTo;
  /** Makes the link the action of Enter on the tree item around it. */
  isAct?: boolean;
}

/** Link to a source location, "script.js:12". Renders nothing if the location is unknown. */
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
