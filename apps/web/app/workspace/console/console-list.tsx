import ArrowDown from 'lucide-react/icons/arrow-down';
import { useLayoutEffect, useRef, useState } from 'react';
import { handleConsoleTreeKey } from './console-keys.ts';
import { ConsoleEntries } from './console-entries.tsx';
import { getConsoleSettings } from './console-settings.ts';
import styles from './console-view.module.css';
import type { PreviewController } from '../preview/preview-controller.ts';
import { useStore } from '../value-store.ts';

/** Log entries. The list follows the newest entry until the user scrolls up. */
export function ConsoleList({ preview }: { preview: PreviewController }) {
  const log = useStore(preview.console);
  const filter = useStore(preview.consoleFilter);
  const { showsTimes } = useStore(getConsoleSettings());
  const { list, isAtEnd, goToEnd } = useAutoScroll();

  return (
    <div className={styles.lines}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the tree's keys start at the scrolling region */}
      <div
        ref={list}
        role="log"
        aria-label="Console"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls and handles the tree's keys
        tabIndex={0}
        className={styles.log}
        onKeyDown={handleConsoleTreeKey}
      >
        {/* Entries grow when they are first painted. The size of this element shows it. */}
        <div>
          {log.dropped > 0 && <p className={styles.note}>{droppedMessage(log.dropped)}</p>}
          <ConsoleEntries
            lines={log.lines}
            filter={filter}
            showsTimes={showsTimes}
            empty={<p className={styles.note}>{emptyMessage(log.lines.length > 0)}</p>}
          />
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className={styles.latest} onClick={goToEnd}>
          <ArrowDown aria-hidden />
          Latest
        </button>
      )}
    </div>
  );
}

function emptyMessage(hasLines: boolean): string {
  return hasLines ? 'No matching entries' : 'No console output yet';
}

function droppedMessage(count: number): string {
  return count === 1
    ? '1 earlier entry not shown'
    : `${count.toLocaleString('en')} earlier entries not shown`;
}

/** Scrolls to the end with each new entry unless the user has scrolled up. */
function useAutoScroll() {
  const list = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    let top = element.scrollTop;
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      const isNear = scrollHeight - scrollTop - clientHeight < 24;
      // Only scrolling up stops following. Entries also change the distance to the end when they
      // grow.
      if (isNear) follows.current = true;
      else if (scrollTop < top) follows.current = false;
      top = scrollTop;
      setIsAtEnd(follows.current);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    const observer = new ResizeObserver(() => followEnd(element, follows.current));
    for (const sized of [element, ...element.children]) observer.observe(sized);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(() => {
    if (list.current) followEnd(list.current, follows.current);
  });
  return {
    list,
    isAtEnd,
    goToEnd() {
      follows.current = true;
      setIsAtEnd(true);
      if (list.current) followEnd(list.current, true);
    },
  };
}

function followEnd(element: HTMLElement, follows: boolean): void {
  if (follows) element.scrollTop = element.scrollHeight;
}
