import { placeWords, type CodePlace } from './code-place.ts';
import styles from './source-link.module.css';

export type GoTo = (location: CodePlace) => void;

interface SourceLinkProps {
  location: CodePlace;
  onGoTo: GoTo;
  /** Makes the link the action of Enter on the tree item around it. */
  isAct?: boolean;
}

/** Link to a source location, "script.js:12". Renders nothing if the location is unknown. */
export function SourceLink({ location, onGoTo, isAct }: SourceLinkProps) {
  const label = placeWords(location);
  if (label === '') return null;
  return (
    <button
      type="button"
      className={styles.link}
      {...(isAct && { 'data-act': '', tabIndex: -1 })}
      onClick={() => onGoTo(location)}
    >
      {label}
    </button>
  );
}
