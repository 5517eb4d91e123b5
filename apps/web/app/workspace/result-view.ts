import { noGuise, type Guise } from '@vitrine/sandbox/guise';

/** How the result is looked at: as on which device, how large, and in which guise. */
export interface ResultView {
  readonly device: DeviceName;
  /** Of a size of one's own, in the page's pixels. */
  readonly own: Size;
  readonly isTurned: boolean;
  /** In percent; `fit` shows a device whole, and is 100 where there is none. */
  readonly zoom: Zoom;
  readonly guise: Guise;
}

export interface Size {
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

export const initialView: ResultView = {
  device: 'responsive',
  own: { width: 480, height: 640 },
  isTurned: false,
  zoom: 'fit',
  guise: noGuise,
};

/** The page's size as the view asks for it; null where it fills what room there is. */
export function findSize({ device, own, isTurned }: ResultView): Size | null {
  const size = device === 'own' ? own : devices.find(({ name }) => name === device)?.size;
  if (!size) return null;
  return isTurned && device !== 'own' ? { width: size.height, height: size.width } : size;
}

/** How many pixels of the screen one of the page's has. */
export function findScale(view: ResultView, room: Size): number {
  if (view.zoom !== 'fit') return Number(view.zoom) / 100;
  const size = findSize(view);
  if (!size) return 1;
  return Math.min(1, room.width / size.width, room.height / size.height);
}

/** The view with a size of one's own, within what makes sense. */
export function withOwnSize(view: ResultView, { width, height }: Size): ResultView {
  const own = { width: bound(width), height: bound(height) };
  return { ...view, device: 'own', own };
}

function bound(pixels: number): number {
  return Math.min(4_000, Math.max(200, Math.round(pixels)));
}

/** What was chosen on this device, by project; the latest so many are kept. */
export const viewsKey = 'result-views';
const keptViews = 50;

export function loadView(project: string): ResultView {
  return parseView(new Map(readKept()).get(project));
}

export function keepView(project: string, view: ResultView): void {
  const others = readKept().filter(([key]) => key !== project);
  const kept = [...others, [project, view]].slice(-keptViews);
  try {
    localStorage.setItem(viewsKey, JSON.stringify(kept));
  } catch {
    // No room, or no storage at all: then it holds until the page is closed.
  }
}

function readKept(): [string, unknown][] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(viewsKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    // Not ours any more, or no storage at all.
    return [];
  }
}

function isEntry(entry: unknown): entry is [string, unknown] {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string';
}

function parseView(kept: unknown): ResultView {
  if (!isRecord(kept)) return initialView;
  const own = isRecord(kept.own) ? kept.own : {};
  const guise = isRecord(kept.guise) ? kept.guise : {};
  const [width, height] = [Number(own.width), Number(own.height)];
  return {
    device: devices.find(({ name }) => name === kept.device)?.name ?? initialView.device,
    own: width > 0 && height > 0 ? { width: bound(width), height: bound(height) } : initialView.own,
    isTurned: kept.isTurned === true,
    zoom: zooms.find((zoom) => zoom === kept.zoom) ?? initialView.zoom,
    guise: {
      scheme: guise.scheme === 'light' || guise.scheme === 'dark' ? guise.scheme : null,
      isStill: guise.isStill === true,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
