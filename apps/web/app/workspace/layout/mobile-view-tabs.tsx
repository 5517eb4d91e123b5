import { useRef, type KeyboardEvent } from 'react';
import styles from './top-bar.module.css';
import type { MobileView, OpenFiles } from '../tabs/open-files.ts';
import { useStore } from '../value-store.ts';

const views: readonly { value: MobileView; label: string }[] = [
  { value: 'code', label: 'Code' },
  { value: 'result', label: 'Result' },
];

/** Tabs that switch between code and preview on a phone. */
export function MobileViewTabs({ openFiles }: { openFiles: OpenFiles }) {
  const view = useStore(openFiles.view);
  const tabs = useRef<Partial<Record<MobileView, HTMLButtonElement | null>>>({});

  function handleKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = view === 'code' ? 'result' : 'code';
    openFiles.view.set(other);
    tabs.current[other]?.focus();
  }

  return (
    <div role="tablist" aria-label="View" className={styles.views}>
      {views.map(({ value, label }) => (
        <button
          key={value}
          ref={(element) => {
            tabs.current[value] = element;
          }}
          type="button"
          role="tab"
          aria-selected={view === value}
          tabIndex={view === value ? 0 : -1}
          className={styles.view}
          onKeyDown={handleKey}
          onClick={() => openFiles.view.set(value)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
