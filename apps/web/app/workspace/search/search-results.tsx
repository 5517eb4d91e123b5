import type { FileMatch, FileSearchResults } from '@vitrine/editor/find';
import type { SourceLocation } from '@vitrine/sandbox/host';
import type { ExcludedMatches } from './excluded-matches.ts';
import styles from './search-panel.module.css';

interface FoundListProps {
  found: FileSearchResults;
  /** Set while replacing: each match can be excluded. */
  excluded?: ExcludedMatches;
  onGoTo: (location: SourceLocation) => void;
}

/** Search matches grouped by file. Selecting one opens it. */
export function SearchResults({ found, excluded, onGoTo }: FoundListProps) {
  return (
    <div className={styles.found}>
      {found.files.map(({ path, matches }) => (
        <section key={path} aria-label={path}>
          <h3 className={styles.path}>
            {excluded && (
              <IncludeCheckbox
                label={`Replace in ${path}`}
                isIncluded={matches.some((match) => !excluded.has(path, match))}
                onChange={(isIncluded) => excluded.set(path, matches, !isIncluded)}
              />
            )}
            <span>{path}</span>
          </h3>
          <ul>
            {matches.map((match) => (
              <li key={match.from} className={styles.item}>
                {excluded && (
                  <IncludeCheckbox
                    label={`Replace on line ${match.line}, column ${match.column}`}
                    isIncluded={!excluded.has(path, match)}
                    onChange={(isIncluded) => excluded.set(path, [match], !isIncluded)}
                  />
                )}
                <Match
                  match={match}
                  isExcluded={excluded?.has(path, match) ?? true}
                  onGoTo={() => onGoTo({ path, line: match.line, column: match.column })}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface MatchProps {
  match: FileMatch;
  /** The match is excluded from replacing. */
  isExcluded: boolean;
  onGoTo: () => void;
}

function Match({
  match: { line, before, match, after, replacement },
  isExcluded,
  onGoTo,
}: MatchProps) {
  return (
    <button type="button" className={styles.match} onClick={onGoTo}>
      <span className={styles.number}>{line}</span>
      <span className={styles.text}>
        {before}
        {isExcluded ? <mark>{match}</mark> : <del>{match}</del>}
        {!isExcluded && replacement !== '' && <ins>{replacement}</ins>}
        {after}
      </span>
    </button>
  );
}

interface IncludeCheckboxProps {
  label: string;
  isIncluded: boolean;
  onChange: (isIncluded: boolean) => void;
}

function IncludeCheckbox({ label, isIncluded, onChange }: IncludeCheckboxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isIncluded}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
