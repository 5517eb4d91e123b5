import Pin from 'lucide-react/icons/pin';
import X from 'lucide-react/icons/x';
import type { ComponentProps, DragEvent, KeyboardEvent, MouseEvent } from 'react';
import type { EditorGroupIndex } from './open-files.ts';
import styles from './tab-strip.module.css';

interface FileTabProps extends Omit<ComponentProps<'button'>, 'children'> {
  path: string;
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

/** Tab of an open file. A transient tab is in italics; a pinned one has a pin. */
export function FileTab({ path, group, label, state, on, ...others }: FileTabProps) {
  const { isActive, isPreview, isPinned } = state;
  function handleClose(event: MouseEvent): void {
    event.stopPropagation();
    on.close();
  }
  return (
    <button
      {...others}
      type="button"
      role="tab"
      id={tabId(path, group)}
      aria-label={path}
      aria-selected={isActive}
      aria-controls={isActive ? editorPanelId(group) : undefined}
      aria-keyshortcuts="Delete"
      title={isPinned ? `${path} (pinned)` : isPreview ? `${path} (temporary)` : path}
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
      <span className={styles.name}>{label.name}</span>
      {label.folder && <span className={styles.folder}>{label.folder}</span>}
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

/** Id of a file's tab, which labels its editor panel. */
export function tabId(path: string, group: EditorGroupIndex = 0): string {
  return `tab-${group}-${encodeURIComponent(path)}`;
}

/** Id of an editor group's panel. */
export function editorPanelId(group: EditorGroupIndex = 0): string {
  return `open-file-${group}`;
}
