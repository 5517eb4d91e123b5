import { useRef, type DragEvent, type KeyboardEvent } from 'react';
import { ContextMenu } from '../ui/menu.tsx';
import type { Side } from './open-files.ts';
import { useSource } from './source.ts';
import { FileTab, tabId } from './file-tab.tsx';
import { TabActions } from './tab-actions.tsx';
import styles from './tab-strip.module.css';
import { tabLabel } from './tabs.ts';
import type { Workspace } from './workspace.ts';

interface TabStripProps {
  workspace: Workspace;
  side?: Side;
}

/** What a dragged tab says of itself: its side and its path. */
const tabType = 'application/x-vitrine-tab';

/**
 * The open files. Arrow keys move and show, with Ctrl or Cmd and Shift they move the tab, Delete or a
 * middle click closes.
 */
export function TabStrip({ workspace, side = 0 }: TabStripProps) {
  const { openFiles } = workspace;
  const tabs = useSource(openFiles.sides[side]);
  const list = useRef<HTMLDivElement>(null);

  function focusActive(): void {
    const { active } = openFiles.sides[side].get();
    if (active !== undefined) document.getElementById(tabId(active, side))?.focus();
  }

  function show(path: string): void {
    openFiles.focusSide(side);
    openFiles.lookAt(path);
  }

  function press(event: KeyboardEvent): void {
    const { open, active } = tabs;
    if (active === undefined) return;
    const at = open.indexOf(active);
    const isMove = (event.ctrlKey || event.metaKey) && event.shiftKey;
    const target = keyTarget(event.key, at, open.length);
    const path = target === undefined ? undefined : open[target];
    if (event.key === 'Delete') openFiles.close(active, 'this', side);
    else if (isMove && target !== undefined) openFiles.move(active, target, side);
    else if (path !== undefined && !event.ctrlKey && !event.metaKey) show(path);
    else return;
    event.preventDefault();
    requestAnimationFrame(focusActive);
  }

  function drop(event: DragEvent, to: number): void {
    const said = event.dataTransfer.getData(tabType);
    if (said === '') return;
    event.preventDefault();
    event.stopPropagation();
    openFiles.move(said.slice(1), to, said.startsWith('1') ? 1 : 0, side);
  }

  function hover(event: DragEvent): void {
    if (event.dataTransfer.types.includes(tabType)) event.preventDefault();
  }

  return (
    <div
      ref={list}
      role="tablist"
      aria-label={side === 0 ? 'Open files' : 'Open files, second side'}
      tabIndex={-1}
      className={styles.strip}
      onDragOver={hover}
      onDrop={(event) => drop(event, tabs.open.length)}
    >
      {tabs.open.map((path, index) => (
        <ContextMenu
          key={path}
          target={
            <FileTab
              path={path}
              side={side}
              label={tabLabel(path, tabs.open)}
              state={{
                isActive: path === tabs.active,
                isPreview: path === tabs.preview,
                isPinned: index < tabs.pinned,
              }}
              on={{
                press,
                open: () => show(path),
                keep: () => openFiles.keep(path, side),
                close: () => openFiles.close(path, 'this', side),
                drag: (event) => event.dataTransfer.setData(tabType, `${side}${path}`),
                drop: (event) => drop(event, index),
              }}
            />
          }
        >
          <TabActions openFiles={openFiles} side={side} path={path} />
        </ContextMenu>
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
