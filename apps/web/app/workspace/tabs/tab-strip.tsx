import {
  useEffect,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { ContextMenu } from '../../ui/menu.tsx';
import type { EditorGroupIndex } from './open-files.ts';
import { useStore } from '../value-store.ts';
import { FileTab, tabId } from './file-tab.tsx';
import { TabActions } from './tab-actions.tsx';
import styles from './tab-strip.module.css';
import { getTabLabel } from './tabs.ts';
import type { Workspace } from '../workspace.ts';

interface TabStripProps {
  workspace: Workspace;
  group?: EditorGroupIndex;
}

/** Drag data type of a tab. Its value is the group's index followed by the path. */
const tabType = 'application/x-vitrine-tab';

/**
 * Tabs of an editor group. Arrow keys switch tabs, Mod+Shift+arrow moves a tab, Delete or a middle
 * click closes it.
 */
export function TabStrip({ workspace, group = 0 }: TabStripProps) {
  const { openFiles } = workspace;
  const tabs = useStore(openFiles.groups[group]);
  /** The dragged tab of this strip, and the index of the tab it is over. */
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<number>();
  const strip = useRef<HTMLDivElement>(null);

  // Also when the strip is shown or resized, and when the tab gets wider with its font.
  useEffect(() => {
    const active =
      tabs.active === undefined ? null : document.getElementById(tabId(tabs.active, group));
    if (!strip.current || !active) return;
    const observer = new ResizeObserver(() =>
      active.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    observer.observe(strip.current);
    observer.observe(active);
    return () => observer.disconnect();
  }, [tabs, group]);

  function findActive(): HTMLElement | null {
    const { active } = openFiles.groups[group].get();
    return active === undefined ? null : document.getElementById(tabId(active, group));
  }

  function show(path: string): void {
    openFiles.focusGroup(group);
    openFiles.openTransient(path);
  }

  /** With a mouse, focuses the editor. On touch that would open the on-screen keyboard. */
  function open(path: string, { nativeEvent }: MouseEvent): void {
    show(path);
    const isMouse = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'mouse';
    if (isMouse) openFiles.goTo({ path, line: 0, column: 0 }, true);
  }

  /** Moves the focus to the active tab: the click focused the closed one. */
  function close(path: string): void {
    openFiles.close(path, 'this', group);
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) findActive()?.focus();
    });
  }

  function handleKey(event: KeyboardEvent): void {
    const { open, active } = tabs;
    if (active === undefined) return;
    const at = open.indexOf(active);
    const isMovingTab = (event.ctrlKey || event.metaKey) && event.shiftKey;
    const target = keyTarget(event.key, at, open.length);
    const path = target === undefined ? undefined : open[target];
    if (event.key === 'Delete') openFiles.close(active, 'this', group);
    else if (isMovingTab && target !== undefined) openFiles.move(active, target, group);
    else if (path !== undefined && !event.ctrlKey && !event.metaKey) show(path);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => findActive()?.focus());
  }

  function endDrag(): void {
    setDragged(undefined);
    setOver(undefined);
  }

  function drop(event: DragEvent, to: number): void {
    endDrag();
    const data = event.dataTransfer.getData(tabType);
    if (data === '') return;
    event.preventDefault();
    event.stopPropagation();
    openFiles.move(data.slice(1), to, data.startsWith('1') ? 1 : 0, group);
  }

  function hover(event: DragEvent, at: number): void {
    if (!event.dataTransfer.types.includes(tabType)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(at);
  }

  function handleDragLeave({ currentTarget, relatedTarget }: DragEvent): void {
    const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isWithin) setOver(undefined);
  }

  /** Edge of a tab at which the dragged one would be dropped. */
  function findEdge(index: number): 'start' | 'end' | undefined {
    const from = dragged === undefined ? -1 : tabs.open.indexOf(dragged);
    if (over === tabs.open.length) return index === over - 1 && index !== from ? 'end' : undefined;
    if (index !== over || index === from) return undefined;
    return from !== -1 && from < index ? 'end' : 'start';
  }

  return (
    <div
      ref={strip}
      role="tablist"
      aria-label={group === 0 ? 'Open files' : 'Open files, group 2'}
      tabIndex={-1}
      className={styles.strip}
      onDragOver={(event) => hover(event, tabs.open.length)}
      onDragLeave={handleDragLeave}
      onDragEnd={endDrag}
      onDrop={(event) => drop(event, tabs.open.length)}
    >
      {tabs.open.map((path, index) => (
        <ContextMenu
          key={path}
          findFinalFocus={findActive}
          target={
            <FileTab
              path={path}
              group={group}
              label={getTabLabel(path, tabs.open)}
              data-drop={findEdge(index)}
              state={{
                isActive: path === tabs.active,
                isPreview: path === tabs.preview,
                isPinned: index < tabs.pinned,
              }}
              on={{
                press: handleKey,
                open: (event) => open(path, event),
                keep: () => openFiles.keepOpen(path, group),
                close: () => close(path),
                drag(event) {
                  event.dataTransfer.setData(tabType, `${group}${path}`);
                  setDragged(path);
                },
                hover: (event) => hover(event, index),
                drop: (event) => drop(event, index),
              }}
            />
          }
        >
          <TabActions openFiles={openFiles} group={group} path={path} />
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
