import { isRecord } from '@vitrine/project';
import { noMediaEmulation, type MediaEmulation } from '@vitrine/sandbox/media-emulation';

/** How the preview is viewed: device, zoom and media emulation. Stored as JSON. */
export interface PreviewView {
  readonly device: DeviceName;
  /** Custom size, in CSS pixels of the page. */
  readonly own: PreviewSize;
  readonly isTurned: boolean;
  /**
   * In percent. `fit` scales a device down to the available space; without a device it is 100 %.
   */
  readonly zoom: Zoom;
  readonly mediaEmulation: MediaEmulation;
}

export interface PreviewSize {
  readonly width: number;
  readonly height: number;
}

export type DeviceName = (typeof devices)[number]['name'];
export type Zoom = (typeof zooms)[number];

export const devices = [
  { name: 'responsive', label: 'Responsive', size: null },
  { name: 'phone', label: 'Phone', size: { width: 390, height: 844 } },
  { name: 'small-phone', label: 'Small phone', size: { width: 360, height: 640 } },
  { name: 'tablet', label: 'Tablet', size: { width: 768, height: 1024 } },
  { name: 'laptop', label: 'Laptop', size: { width: 1280, height: 800 } },
  { name: 'own', label: 'Custom', size: null },
] as const;

export const zooms = ['fit', '50', '75', '100', '125', '150', '200'] as const;

export const initialView: PreviewView = {
  device: 'responsive',
  own: { width: 480, height: 640 },
  isTurned: false,
  zoom: 'fit',
  mediaEmulation: noMediaEmulation,
};

/** Size of the page. Null if it fills the available space. */
export function findPageSize({ device, own, isTurned }: PreviewView): PreviewSize | null {
  const size = device === 'own' ? own : devices.find(({ name }) => name === device)?.size;
  if (!size) return null;
  return isTurned && device !== 'own' ? { width: size.height, height: size.width } : size;
}

/** Scale factor of the page for the available space. */
export function computeScale(view: PreviewView, room: PreviewSize): number {
  if (view.zoom !== 'fit') return Number(view.zoom) / 100;
  const size = findPageSize(view);
  if (!size) return 1;
  return Math.min(1, room.width / size.width, room.height / size.height);
}

/** Returns the view with a custom size, clamped to the allowed range. */
export function withCustomSize(view: PreviewView, { width, height }: PreviewSize): PreviewView {
  const own = { width: clampSize(width), height: clampSize(height) };
  return { ...view, device: 'own', own };
}

function clampSize(pixels: number): number {
  return Math.min(4_000, Math.max(200, Math.round(pixels)));
}

/** Storage key of the views, one per project. Only the latest are stored. */
export const viewsStorageKey = 'result-views';
const maxViews = 50;

export function loadView(project: string): PreviewView {
  return parseView(new Map(readStored()).get(project));
}

export function storeView(project: string, view: PreviewView): void {
  const others = readStored().filter(([key]) => key !== project);
  const { mediaEmulation: emulation, ...rest } = view;
  // Names of the stored keys, which must not change.
  const entry = {
    ...rest,
    guise: { scheme: emulation.colorScheme, isStill: emulation.reducedMotion },
  };
  const stored = [...others, [project, entry]].slice(-maxViews);
  try {
    localStorage.setItem(viewsStorageKey, JSON.stringify(stored));
  } catch {
    // Without storage, or room in it, the view lasts until the page is closed.
  }
}

function readStored(): [string, unknown][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(viewsStorageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isEntry) : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string';
}

function parseView(stored: unknown): PreviewView {
  if (!isRecord(stored)) return initialView;
  const own = isRecord(stored.own) ? stored.own : {};
  const emulation = isRecord(stored.guise) ? stored.guise : {};
  const [width, height] = [Number(own.width), Number(own.height)];
  return {
    device: devices.find(({ name }) => name === stored.device)?.name ?? initialView.device,
    own:
      width > 0 && height > 0
        ? { width: clampSize(width), height: clampSize(height) }
        : initialView.own,
    isTurned: stored.isTurned === true,
    zoom: zooms.find((zoom) => zoom === stored.zoom) ?? initialView.zoom,
    mediaEmulation: {
      colorScheme:
        emulation.scheme === 'light' || emulation.scheme === 'dark' ? emulation.scheme : null,
      reducedMotion: emulation.isStill === true,
    },
  };
}
