import type { FileSearchQuery } from '@vitrine/editor/find';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useEffect, type RefObject } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import styles from './search-panel.module.css';

interface SearchFieldsProps {
  field: RefObject<HTMLInputElement | null>;
  query: FileSearchQuery;
  onChange: (query: FileSearchQuery) => void;
  /** Undefined if there is nothing to replace. */
  onReplace?: () => void;
}

const options = [
  { name: 'matchesCase', label: 'Match case' },
  { name: 'wholeWord', label: 'Whole word' },
  { name: 'isRegExp', label: 'Regular expression' },
] as const;

/** Fields for the query, its options and the replacement. */
export function SearchFields({ field, query, onChange, onReplace }: SearchFieldsProps) {
  useEffect(() => {
    // The user opened the panel. On page load the focus stays where it is.
    if (document.activeElement !== document.body) field.current?.select();
  }, [field]);
  const isReplacing = query.replacement !== undefined;
  return (
    <div className={styles.fields}>
      <IconButton
        label="Replace"
        size="small"
        className={styles.unfold}
        aria-expanded={isReplacing}
        onClick={() => onChange({ ...query, replacement: isReplacing ? undefined : '' })}
      >
        <ChevronRight aria-hidden />
      </IconButton>
      <input
        ref={field}
        type="search"
        aria-label="Search in files"
        placeholder="Search in files"
        spellCheck={false}
        value={query.text}
        onChange={({ target }) => onChange({ ...query, text: target.value })}
      />
      {isReplacing && (
        <div className={styles.replace}>
          <input
            type="text"
            aria-label="Replace with"
            placeholder={query.isRegExp ? 'Replace with (use $1 for groups)' : 'Replace with'}
            spellCheck={false}
            autoComplete="off"
            value={query.replacement}
            onChange={({ target }) => onChange({ ...query, replacement: target.value })}
          />
          <Button size="small" disabled={!onReplace} onClick={() => onReplace?.()}>
            Replace all
          </Button>
        </div>
      )}
      <div className={styles.choices}>
        {options.map(({ name, label }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={query[name]}
              onChange={({ target }) => onChange({ ...query, [name]: target.checked })}
            />
            {label}
          </label>
        ))}
      </div>
    </div>
  );
}
