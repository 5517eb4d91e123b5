import Lock from 'lucide-react/icons/lock';
import Pin from 'lucide-react/icons/pin';
import X from 'lucide-react/icons/x';
import type { ComponentProps, DragEvent, KeyboardEvent, MouseEvent } from 'react';
import type { EditorGroupIndex } from './open-files.ts';
import styles from './tab-strip.module.css';
import { getEditedPath, getTabKey, getTabName, type Tab } from './tabs.ts';

interface FileTabProps extends Omit<ComponentProps<'button'>, 'children'> {
  tab: Tab;
  group: EditorGroupIndex;
  label: { name: string; folder: string };
  /** Edge of this tab at which the dragged tab would be dropped. */
  'data-drop': 'start' | 'end' | undefined;
  state: { readonly isActive: boolean; readonly isPreview: boolean; readonly isPinned: boolean };
  on: TabListeners;
}

interface TabListeners {
  press(event: KeyboardEvent): void;
  open(event: MouseEvent): void;
  keep(): void;
  close(): void;
  drag(event: DragEvent): void;
  hover(event: DragEvent): void;
  drop(event: DragEvent): void;
}

/** A tab. A transient one is in italics; a pinned one has a pin, a read-only one a lock. */
export function FileTab({ tab, group, label, state, on, ...others }: FileTabProps) {
  const { isActive, isPreview, isPinned } = state;
  const name = getTabName(tab);
  const isReadOnly = getEditedPath(tab) === undefined;
  const states = [isReadOnly && 'read-only', isPinned && 'pinned', isPreview && 'temporary'];
  function handleClose(event: MouseEvent): void {
    event.stopPropagation();
    on.close();
  }
  return (
    <button
      {...others}
      type="button"
      role="tab"
      id={tabId(tab, group)}
      aria-label={name}
      aria-selected={isActive}
      aria-controls={isActive ? editorPanelId(group) : undefined}
      aria-keyshortcuts="Delete"
      title={[name, ...states.flatMap((each) => (each ? `(${each})` : []))].join(' ')}
      tabIndex={isActive ? 0 : -1}
      data-preview={isPreview || undefined}
      className={styles.tab}
      draggable
      onDragStart={on.drag}
      onDragOver={on.hover}
      onDrop={on.drop}
      onKeyDown={on.press}
      onClick={on.open}
      onDoubleClick={on.keep}
      onAuxClick={(event) => event.button === 1 && handleClose(event)}
    >
      {isPinned && <Pin aria-hidden className={styles.pin} />}
      {isReadOnly && <Lock aria-hidden className={styles.lock} />}
      <span className={styles.name}>{label.name}</span>
      {/* Generated, so that the visible text is part of the accessible name. */}
      {label.folder && <span className={styles.folder} data-text={label.folder} />}
      {/* A tab may not contain a button, so the cross is for pointers only. The keyboard uses
          Delete. */}
      {!isPinned && (
        <span aria-hidden title="Close" className={styles.close} onClick={handleClose}>
          <X />
        </span>
      )}
    </button>
  );
}

/** Id of a tab's element, which labels its editor panel. */
export function tabId(tab: Tab, group: EditorGroupIndex = 0): string {
  return `tab-${group}-${encodeURIComponent(getTabKey(tab))}`;
}

/** Id of an editor group's panel. */
export function editorPanelId(group: EditorGroupIndex = 0): string {
  return `open-file-${group}`;
}
