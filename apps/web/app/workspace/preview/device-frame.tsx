import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import styles from './device-frame.module.css';
import type { PreviewController } from './preview-controller.ts';
import { computeScale, findPageSize, withCustomSize, type PreviewSize } from './preview-view.ts';
import { useStore } from '../value-store.ts';

/** Space around the device for its handles and the caption with its size, in CSS pixels. */
const edgePx = 16;
const captionPx = 36;

/**
 * Shows the preview at the size of a device, scaled down to fit, or filling the available space.
 * The children keep their position in the document at any size, since moving an iframe reloads it.
 */
export function DeviceFrame({
  preview,
  children,
}: {
  preview: PreviewController;
  children: ReactNode;
}) {
  const stage = useRef<HTMLDivElement>(null);
  const view = useStore(preview.view);
  const available = useAvailableSize(stage);
  const size = findPageSize(view);
  const scale = computeScale(view, {
    width: available.width - 2 * edgePx,
    height: available.height - edgePx - captionPx,
  });
  const resize = (next: PreviewSize) => preview.setView(withCustomSize(view, next));

  return (
    <div ref={stage} className={styles.stage} data-device={size ? '' : undefined}>
      <div
        className={styles.screen}
        style={size ? { width: size.width * scale, height: size.height * scale } : undefined}
      >
        <div className={styles.page} style={pageStyle(size, scale)}>
          {children}
        </div>
        {size && <ResizeHandles size={size} scale={scale} onResize={resize} />}
      </div>
      {size && (
        <p className={styles.caption}>
          {size.width} × {size.height}
          {scale !== 1 && ` at ${Math.round(scale * 100)}%`}
        </p>
      )}
    </div>
  );
}

function pageStyle(size: PreviewSize | null, scale: number) {
  if (size) return { width: size.width, height: size.height, transform: `scale(${scale})` };
  if (scale === 1) return undefined;
  const percent = `${100 / scale}%`;
  return { width: percent, height: percent, transform: `scale(${scale})` };
}

function useAvailableSize(element: { current: HTMLElement | null }): PreviewSize {
  const [available, setAvailable] = useState<PreviewSize>({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setAvailable({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return available;
}

interface ResizeHandlesProps {
  size: PreviewSize;
  scale: number;
  onResize: (size: PreviewSize) => void;
}

/** Resize handles: right edge, bottom edge and corner. Dragged, or moved by arrow keys. */
function ResizeHandles({ size, scale, onResize }: ResizeHandlesProps) {
  const edge = { size, scale, onResize };
  return (
    <>
      <ResizeHandle
        {...edge}
        name="Resize result width"
        axes={{ x: 1, y: 0 }}
        className={styles.right}
      />
      <ResizeHandle
        {...edge}
        name="Resize result height"
        axes={{ x: 0, y: 1 }}
        className={styles.lower}
      />
      <ResizeHandle {...edge} name="" axes={{ x: 1, y: 1 }} className={styles.corner} />
    </>
  );
}

interface ResizeHandleProps extends ResizeHandlesProps {
  /** "" for the corner, which is for pointers only. The two edges also work by keyboard. */
  name: string;
  axes: { x: 0 | 1; y: 0 | 1 };
  className: string | undefined;
}

const stepPx = 10;

function ResizeHandle({ name, axes, size, scale, onResize, className }: ResizeHandleProps) {
  const drag = useRef<{ x: number; y: number; size: PreviewSize } | null>(null);

  function startDrag(event: PointerEvent<HTMLDivElement>): void {
    // Receives pointer moves over the iframe too.
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, size };
  }
  function move(event: PointerEvent): void {
    const from = drag.current;
    if (!from) return;
    // The device is centered, so its width changes on both sides.
    const width = from.size.width + (2 * axes.x * (event.clientX - from.x)) / scale;
    const height = from.size.height + (axes.y * (event.clientY - from.y)) / scale;
    onResize({ width, height });
  }
  function handleKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const [x, y] = step;
    onResize({
      width: size.width + x * axes.x * stepPx,
      height: size.height + y * axes.y * stepPx,
    });
  }

  const handlers = {
    onPointerDown: startDrag,
    onPointerMove: move,
    onPointerUp: () => (drag.current = null),
    onLostPointerCapture: () => (drag.current = null),
  };
  if (name === '') return <div {...handlers} className={`${styles.edge} ${className}`} />;
  return (
    <div
      {...handlers}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an <hr> isn't focusable or movable
      role="separator"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a movable separator is focusable
      tabIndex={0}
      aria-label={name}
      aria-orientation={axes.x === 1 ? 'vertical' : 'horizontal'}
      aria-valuemin={200}
      aria-valuemax={4_000}
      aria-valuenow={axes.x === 1 ? size.width : size.height}
      aria-valuetext={`${axes.x === 1 ? size.width : size.height} pixels`}
      onKeyDown={handleKey}
      className={`${styles.edge} ${className}`}
    />
  );
}
