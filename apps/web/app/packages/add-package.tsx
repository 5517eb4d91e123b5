import { Autocomplete } from '@base-ui/react/autocomplete';
import type { FoundPackage } from '@vitrine/esm/messages';
import { useState, type KeyboardEvent, type Ref } from 'react';
import styles from './add-package.module.css';
import type { ProjectPackages } from './project-packages.ts';
import { usePackageSearch, type PackageSearchState } from './use-package-search.ts';
import { parsePackageRequests } from './package-requests.ts';

interface AddPackageProps {
  packages: ProjectPackages;
  field: Ref<HTMLInputElement>;
}

/** Makes the autocomplete's input a plain textbox, since it also works without suggestions. */
const textbox = { role: undefined, 'aria-expanded': undefined } as const;

/** The field to search and add packages. Keeps its text until the package has been added. */
export function AddPackage({ packages, field }: AddPackageProps) {
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [isHighlighted, setIsHighlighted] = useState(false);
  const search = usePackageSearch(packages, isOpen ? text : '');
  const isListShown = isOpen && text.trim() !== '';

  async function add(request: string): Promise<void> {
    setIsOpen(false);
    setText(request);
    if (await packages.addFromText(request))
      setText((current) => (current === request ? '' : current));
  }

  function handleKeyDown({ key }: KeyboardEvent): void {
    if (key === 'Escape') setIsOpen(false);
    if (key === 'Enter' && !isHighlighted && text.trim() !== '') void add(text);
  }

  function handleChange(value: string, reason: string): void {
    if (reason !== 'input-change') return;
    setText(value);
    setIsOpen(true);
  }

  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      items={isListShown ? search.results : []}
      itemToStringValue={({ name }: FoundPackage) => name}
      value={text}
      onValueChange={(value, { reason }) => handleChange(value, reason)}
      onItemHighlighted={(item) => setIsHighlighted(item !== undefined)}
    >
      <div
        className={styles.field}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setIsOpen(false);
        }}
      >
        <Autocomplete.Input
          {...textbox}
          ref={field}
          aria-label="Add package"
          placeholder="Add package"
          onKeyDown={handleKeyDown}
        />
        {isListShown && (
          <div className={styles.results}>
            <Autocomplete.Status className={styles.status}>
              {describeStatus(search, text)}
            </Autocomplete.Status>
            <Autocomplete.List
              aria-label="Search results"
              // The text field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
            >
              {(found: FoundPackage) => (
                <Result key={found.name} found={found} onSelect={() => void add(found.name)} />
              )}
            </Autocomplete.List>
          </div>
        )}
      </div>
    </Autocomplete.Root>
  );
}

function describeStatus(
  { status, results: found, hasSearch }: PackageSearchState,
  text: string,
): string {
  switch (status) {
    case 'searching':
      return 'Searching…';
    case 'unreachable':
      return 'Search isn’t responding. Press Enter to add exactly what you typed.';
    case 'found':
      if (found.length === 0) {
        if (!parsePackageRequests(text)) return 'Enter a package name, or name@version.';
        return hasSearch
          ? 'No matches'
          : 'Search isn’t available here. Enter an exact package name.';
      }
      return hasSearch
        ? 'Press Enter to add what you typed, or use the arrow keys to choose.'
        : 'Exact match';
  }
}

function Result({ found, onSelect }: { found: FoundPackage; onSelect: () => void }) {
  const { name, version, description } = found;
  return (
    <Autocomplete.Item value={found} className={styles.result} onClick={onSelect}>
      <span className={styles.name}>{name}</span> <span className={styles.version}>{version}</span>
      {description !== '' && <span className={styles.description}>{description}</span>}
    </Autocomplete.Item>
  );
}
