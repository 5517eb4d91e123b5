import type { SourceLocation } from '@vitrine/sandbox/host';
import { formatLocation } from './source-location.ts';
import styles from './source-link.module.css';

export type OpenLocation = (location: SourceLocation) => void;

interface SourceLinkProps {
  location: SourceLocation;
  onGoTo: OpenLocation;
  /** Makes the link the action of Enter on the tree item around it. */
  isAct?: boolean;
}

/** Link to a source location, "script.js:12". Renders nothing if the location is unknown. */
export function SourceLink({ location, onGoTo, isAct }: SourceLinkProps) {
  const label = formatLocation(location);
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
