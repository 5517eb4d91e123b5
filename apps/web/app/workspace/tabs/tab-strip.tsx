import {
  useEffect,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { ContextMenu } from '../../ui/menu.tsx';
import type { EditorGroupIndex, OpenFiles } from './open-files.ts';
import { useStore } from '../value-store.ts';
import { FileTab, tabId } from './file-tab.tsx';
import { TabActions } from './tab-actions.tsx';
import styles from './tab-strip.module.css';
import { getTabKey, getTabLabel, isSameTab, type Tab } from './tabs.ts';

interface TabStripProps {
  openFiles: OpenFiles;
  group?: EditorGroupIndex;
}

/** Drag data type of a tab. Its value is the group's index followed by the tab's key. */
const tabType = 'application/x-vitrine-tab';

/**
 * Tabs of an editor group. Arrow keys switch tabs, Mod+Shift+arrow moves a tab, Delete or a middle
 * click closes it.
 */
export function TabStrip({ openFiles, group = 0 }: TabStripProps) {
  const tabs = useStore(openFiles.groups[group]);
  const drag = useTabDrag(openFiles, group);
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

  function show(tab: Tab): void {
    openFiles.focusGroup(group);
    openFiles.activate(tab);
  }

  /** With a mouse, focuses the editor. On touch that would open the on-screen keyboard. */
  function open(tab: Tab, { nativeEvent }: MouseEvent): void {
    show(tab);
    const isMouse = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'mouse';
    if (isMouse) openFiles.goToTab({ tab, line: 0, column: 0 }, true);
  }

  /** Moves the focus to the active tab: the click focused the closed one. */
  function close(tab: Tab): void {
    openFiles.close(tab, 'this', group);
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) findActive()?.focus();
    });
  }

  function handleKey(event: KeyboardEvent): void {
    const { open, active } = tabs;
    if (active === undefined) return;
    const at = open.findIndex((each) => isSameTab(each, active));
    const isMovingTab = (event.ctrlKey || event.metaKey) && event.shiftKey;
    const target = keyTarget(event.key, at, open.length);
    const tab = target === undefined ? undefined : open[target];
    if (event.key === 'Delete') openFiles.close(active, 'this', group);
    else if (isMovingTab && target !== undefined) openFiles.move(active, target, group);
    else if (tab && !event.ctrlKey && !event.metaKey) show(tab);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => findActive()?.focus());
  }

  return (
    <div
      ref={strip}
      role="tablist"
      aria-label={group === 0 ? 'Open files' : 'Open files, group 2'}
      tabIndex={-1}
      className={styles.strip}
      onDragOver={(event) => drag.hover(event, tabs.open.length)}
      onDragLeave={drag.leave}
      onDragEnd={drag.end}
      onDrop={(event) => drag.drop(event, tabs.open.length)}
    >
      {tabs.open.map((tab, index) => (
        <ContextMenu
          key={getTabKey(tab)}
          findFinalFocus={findActive}
          target={
            <FileTab
              tab={tab}
              group={group}
              label={getTabLabel(tab, tabs.open)}
              data-drop={drag.findEdge(index)}
              state={{
                isActive: isSameTab(tab, tabs.active),
                isPreview: isSameTab(tab, tabs.preview),
                isPinned: index < tabs.pinned,
              }}
              on={{
                press: handleKey,
                open: (event) => open(tab, event),
                keep: () => openFiles.keepOpen(tab, group),
                close: () => close(tab),
                drag: (event) => drag.start(event, tab),
                hover: (event) => drag.hover(event, index),
                drop: (event) => drag.drop(event, index),
              }}
            />
          }
        >
          <TabActions openFiles={openFiles} group={group} tab={tab} />
        </ContextMenu>
      ))}
    </div>
  );
}

/** Drag and drop of tabs, within a group and from the other one. */
function useTabDrag(openFiles: OpenFiles, group: EditorGroupIndex) {
  const tabs = useStore(openFiles.groups[group]);
  /** The dragged tab of this strip, and the index of the tab it is over. */
  const [dragged, setDragged] = useState<Tab>();
  const [over, setOver] = useState<number>();

  function start(event: DragEvent, tab: Tab): void {
    event.dataTransfer.setData(tabType, `${group}${getTabKey(tab)}`);
    setDragged(tab);
  }

  function end(): void {
    setDragged(undefined);
    setOver(undefined);
  }

  function drop(event: DragEvent, to: number): void {
    end();
    const data = event.dataTransfer.getData(tabType);
    if (data === '') return;
    event.preventDefault();
    event.stopPropagation();
    const from = data.startsWith('1') ? 1 : 0;
    const tab = openFiles.groups[from].get().open.find((each) => getTabKey(each) === data.slice(1));
    if (tab) openFiles.move(tab, to, from, group);
  }

  function hover(event: DragEvent, at: number): void {
    if (!event.dataTransfer.types.includes(tabType)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(at);
  }

  function leave({ currentTarget, relatedTarget }: DragEvent): void {
    const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isWithin) setOver(undefined);
  }

  /** Edge of a tab at which the dragged one would be dropped. */
  function findEdge(index: number): 'start' | 'end' | undefined {
    const from = tabs.open.findIndex((tab) => isSameTab(tab, dragged));
    if (over === tabs.open.length) return index === over - 1 && index !== from ? 'end' : undefined;
    if (index !== over || index === from) return undefined;
    return from !== -1 && from < index ? 'end' : 'start';
  }

  return { start, hover, leave, end, drop, findEdge };
}

function keyTarget(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
