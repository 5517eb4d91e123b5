import { Autocomplete } from '@base-ui/react/autocomplete';
import { useState, type KeyboardEvent, type Ref } from 'react';
import styles from './add-package.module.css';
import type { FoundPackage } from './package-calls.ts';
import type { ProjectPackages } from './project-packages.ts';
import { usePackageSearch, type Search } from './use-package-search.ts';
import { parseWanted } from './wanted-packages.ts';

interface AddPackageProps {
  packages: ProjectPackages;
  field: Ref<HTMLInputElement>;
}

/** A line of text that suggests something, and works as one also where it suggests nothing. */
const textbox = { role: undefined, 'aria-expanded': undefined } as const;

/** The line to find packages by; what is typed stays until its package has been added. */
export function AddPackage({ packages, field }: AddPackageProps) {
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [isChosen, setIsChosen] = useState(false);
  const search = usePackageSearch(packages, isOpen ? text : '');
  const isShown = isOpen && text.trim() !== '';

  async function add(wanted: string): Promise<void> {
    setIsOpen(false);
    setText(wanted);
    if (await packages.addText(wanted)) setText((now) => (now === wanted ? '' : now));
  }

  function press({ key }: KeyboardEvent): void {
    if (key === 'Escape') setIsOpen(false);
    if (key === 'Enter' && !isChosen && text.trim() !== '') void add(text);
  }

  function change(value: string, reason: string): void {
    if (reason !== 'input-change') return;
    setText(value);
    setIsOpen(true);
  }

  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      items={isShown ? search.found : []}
      itemToStringValue={({ name }: FoundPackage) => name}
      value={text}
      onValueChange={(value, { reason }) => change(value, reason)}
      onItemHighlighted={(item) => setIsChosen(item !== undefined)}
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
          onKeyDown={press}
        />
        {isShown && (
          <div className={styles.results}>
            <Autocomplete.Status className={styles.status}>
              {statusWords(search, text)}
            </Autocomplete.Status>
            <Autocomplete.List
              aria-label="Packages found"
              // The line of text keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
            >
              {(found: FoundPackage) => (
                <Found key={found.name} found={found} onChoose={() => void add(found.name)} />
              )}
            </Autocomplete.List>
          </div>
        )}
      </div>
    </Autocomplete.Root>
  );
}

function statusWords({ status, found, searched }: Search, text: string): string {
  switch (status) {
    case 'searching':
      return 'Searching…';
    case 'unreachable':
      return 'Search isn’t responding. Press Enter to add exactly what you typed.';
    case 'found':
      if (found.length === 0) {
        if (!parseWanted(text)) return 'Enter a package name, or name@version.';
        return searched
          ? 'No matches'
          : 'Search isn’t available here. Enter an exact package name.';
      }
      return searched
        ? 'Press Enter to add what you typed, or use the arrow keys to choose.'
        : 'Exact match';
  }
}

function Found({ found, onChoose }: { found: FoundPackage; onChoose: () => void }) {
  const { name, version, description } = found;
  return (
    <Autocomplete.Item value={found} className={styles.found} onClick={onChoose}>
      <span className={styles.name}>{name}</span> <span className={styles.version}>{version}</span>
      {description !== '' && <span className={styles.description}>{description}</span>}
    </Autocomplete.Item>
  );
}
