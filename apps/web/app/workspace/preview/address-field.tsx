import { parseTypedAddress } from '@vitrine/sandbox/address';
import { useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import styles from './address-field.module.css';
import type { PreviewController } from './preview-controller.ts';
import { useStore, type ValueStore } from '../value-store.ts';

interface AddressFieldProps {
  preview: PreviewController;
  /** Paths of the project's files. */
  paths: ValueStore<readonly string[]>;
}

/**
 * Path of the current page in the preview. Entering another path navigates to it; a list below
 * offers the project's pages.
 */
export function AddressField({ preview: result, paths }: AddressFieldProps) {
  const at = useStore(result.location);
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isInvalid = typed !== null && parseTypedAddress(typed) === undefined;

  function close(): void {
    setIsOpen(false);
    setTyped(null);
  }
  function visit(address: string): void {
    result.navigate(address);
    close();
    field.current?.blur();
  }
  function handleBlur({ relatedTarget }: FocusEvent): void {
    if (!(relatedTarget instanceof Node && container.current?.contains(relatedTarget))) close();
  }
  function handleKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      setTyped(null);
      setIsOpen(false);
    } else if (event.key === 'Enter' && event.target === field.current) {
      const address = parseTypedAddress(typed ?? at?.address ?? '/');
      if (address !== undefined) visit(address);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setIsOpen(true);
      event.preventDefault();
      moveFocus(container.current, event.key === 'ArrowDown' ? 1 : -1);
    }
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of the field and its list
    <div ref={container} className={styles.box} onBlur={handleBlur} onKeyDown={handleKey}>
      <input
        ref={field}
        type="text"
        aria-label="Address"
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? 'address-note' : undefined}
        className={styles.field}
        value={typed ?? at?.address ?? ''}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        inputMode="url"
        onFocus={({ target }) => {
          target.select();
          setIsOpen(true);
        }}
        onChange={({ target }) => setTyped(target.value)}
      />
      {isOpen && <Pages paths={paths} typed={typed} onVisit={visit} />}
      {isInvalid && (
        <p id="address-note" aria-live="polite" className={styles.note}>
          Only pages in this project can be opened here.
        </p>
      )}
    </div>
  );
}

interface PagesProps extends Pick<AddressFieldProps, 'paths'> {
  typed: string | null;
  onVisit: (address: string) => void;
}

const maxPages = 12;

function Pages({ paths, typed, onVisit }: PagesProps) {
  const pages = useStore(paths).filter(isPage).map(pageAddress).sort();
  const query = typed?.replace(/[?#].*$/, '') ?? '';
  const shown = pages.filter((address) => address.includes(query)).slice(0, maxPages);
  if (pages.length < 2 || shown.length === 0) return null;
  return (
    <ul aria-label="Pages" className={styles.pages}>
      {shown.map((address) => (
        <li key={address}>
          <button
            type="button"
            tabIndex={-1}
            className={styles.page}
            // Keeps the focus in the field. Losing it would close the list before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onVisit(address)}
          >
            {address}
          </button>
        </li>
      ))}
    </ul>
  );
}

function isPage(path: string): boolean {
  return /\.(?:html?|md)$/i.test(path);
}

/** `about/index.html` → `/about/`, as links in the project write it. */
function pageAddress(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Moves the focus through the field and the page list. */
function moveFocus(container: HTMLElement | null, by: number): void {
  const focusables = [...(container?.querySelectorAll<HTMLElement>('input, button') ?? [])];
  const current = focusables.findIndex((stop) => stop === document.activeElement);
  focusables[Math.min(focusables.length - 1, Math.max(0, current + by))]?.focus();
}
