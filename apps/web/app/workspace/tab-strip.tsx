import X from 'lucide-react/icons/x';
import { useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { useSource } from './source.ts';
import styles from './tab-strip.module.css';
import { tabLabel } from './tabs.ts';
import type { Workspace } from './workspace.ts';

/** The open files. Arrow keys move and show, Delete or a middle click closes. */
export function TabStrip({ workspace }: { workspace: Workspace }) {
  const tabs = useSource(workspace.openFiles.tabs);
  const list = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent): void {
    const at = tabs.open.indexOf(tabs.active ?? '');
    const target = keyTarget(event.key, at, tabs.open.length);
    const path = target === undefined ? undefined : tabs.open[target];
    if (event.key === 'Delete' && tabs.active) workspace.openFiles.close(tabs.active);
    else if (path !== undefined) workspace.openFiles.show(path);
    else return;
    event.preventDefault();
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus(),
    );
  }

  return (
    <div ref={list} role="tablist" aria-label="Open files" className={styles.strip}>
      {tabs.open.map((path) => (
        <Tab
          key={path}
          path={path}
          label={tabLabel(path, tabs.open)}
          active={path === tabs.active}
          onKeyDown={move}
          onOpen={() => workspace.openFiles.show(path)}
          onClose={() => workspace.openFiles.close(path)}
        />
      ))}
    </div>
  );
}

function keyTarget(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

interface TabProps {
  path: string;
  label: { name: string; folder: string };
  active: boolean;
  onKeyDown: (event: KeyboardEvent) => void;
  onOpen: () => void;
  onClose: () => void;
}

function Tab({ path, label, active, onKeyDown, onOpen, onClose }: TabProps) {
  function closeByMouse(event: MouseEvent): void {
    event.stopPropagation();
    onClose();
  }
  return (
    <button
      type="button"
      role="tab"
      id={tabId(path)}
      aria-label={path}
      aria-selected={active}
      aria-controls={active ? 'open-file' : undefined}
      aria-keyshortcuts="Delete"
      title={path}
      tabIndex={active ? 0 : -1}
      className={styles.tab}
      onKeyDown={onKeyDown}
      onClick={onOpen}
      onAuxClick={(event) => event.button === 1 && closeByMouse(event)}
    >
      <span className={styles.name}>{label.name}</span>
      {label.folder && <span className={styles.folder}>{label.folder}</span>}
      {/* A tab may hold no button, so the cross is for pointers; keys close by Delete. */}
      <span aria-hidden title="Close" className={styles.close} onClick={closeByMouse}>
        <X />
      </span>
    </button>
  );
}

/** The id of a file's tab, which names the panel with its editor. */
export function tabId(path: string): string {
  return `tab-${encodeURIComponent(path)}`;
}
