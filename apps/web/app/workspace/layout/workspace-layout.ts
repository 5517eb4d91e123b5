import { isRecord } from '@vitrine/project';
import { parseTabList, toStoredTabList, type StoredTabList, type TabList } from '../tabs/tabs.ts';

/**
 * A user's workspace layout on this device: layout, open panels, sizes. Stored as JSON in a cookie
 * and in localStorage, so its keys must not change.
 */
export interface WorkspaceLayout {
  readonly layout: LayoutName;
  /** Name of the open sidebar panel in `sidebarPanels`. */
  readonly panel: string | null;
  /** Name of the open tab in `bottomPanelTabs`. */
  readonly dock: string | null;
  /** Track sizes in percent, by `getSizesKey`. */
  readonly sizes: Readonly<Record<string, TrackSizes>>;
  /** Open tabs of the project seen last, so that the server can render them. */
  readonly last?: StoredTabs;
}

/** Open tabs of a project, for one or two editor groups. */
export interface StoredTabs {
  readonly project: string;
  readonly sides: readonly TabList[];
}

export const layoutNames = ['side', 'stacked', 'columns', 'code', 'result'] as const;
export type LayoutName = (typeof layoutNames)[number];
type AxisSizes = Readonly<Record<string, number>>;

export interface TrackSizes {
  readonly columns: AxisSizes;
  readonly rows: AxisSizes;
}

export const initialLayout: WorkspaceLayout = {
  layout: 'side',
  panel: null,
  dock: null,
  sizes: {},
};

/** Key of the stored sizes. Each combination of visible panels has its own sizes. */
export function getSizesKey({ layout, panel, dock }: WorkspaceLayout, isSplit = false): string {
  const parts = [panel !== null && 'panel', dock !== null && 'dock', isSplit && 'split'];
  return [layout, ...parts.filter(Boolean)].join('+');
}

/** Returns the layout with new sizes for the panels that are visible now. */
export function withSizes(
  workspaceLayout: WorkspaceLayout,
  sizes: TrackSizes,
  isSplit = false,
): WorkspaceLayout {
  const rounded = { columns: round(sizes.columns), rows: round(sizes.rows) };
  return {
    ...workspaceLayout,
    sizes: { ...workspaceLayout.sizes, [getSizesKey(workspaceLayout, isSplit)]: rounded },
  };
}

function round(sizes: AxisSizes): AxisSizes {
  return Object.fromEntries(
    Object.entries(sizes).map(([id, size]) => [id, Math.round(size * 10) / 10]),
  );
}

/** Name of a user's layout cookie. `userId` is null for a visitor. */
function layoutCookieName(userId: string | null): string {
  return `arrangement-${userId === null ? 'guest' : userId.slice(0, 8)}`;
}

/** Parses the layout from a Cookie header. Anything invalid yields the initial layout. */
export function parseLayoutCookie(cookies: string, userId: string | null): WorkspaceLayout {
  const name = `${layoutCookieName(userId)}=`;
  const pair = cookies.split(/;\s*/).find((candidate) => candidate.startsWith(name));
  return pair === undefined ? initialLayout : parseArrangement(pair.slice(name.length));
}

/**
 * Applies the URL parameter `view`, which opens a project with its Tests tab or its History panel:
 * `view=tests`, `view=history`.
 */
export function applyViewParameter(
  workspaceLayout: WorkspaceLayout,
  address: string,
): WorkspaceLayout {
  const view = new URL(address).searchParams.get('view');
  if (view === 'tests') return { ...workspaceLayout, dock: 'tests' };
  return view === 'history' ? { ...workspaceLayout, panel: 'history' } : workspaceLayout;
}

/** Longest cookie value to write, in bytes. Browsers allow 4,096 and send it with every request. */
const maxCookieBytes = 3_000;

/**
 * Serializes the layout for `document.cookie`, for a year. Open tabs are left out if they are too
 * long; the page then renders the initial files first and restores the tabs in the browser.
 */
export function formatLayoutCookie(
  workspaceLayout: WorkspaceLayout,
  userId: string | null,
): string {
  const { last, ...rest } = workspaceLayout;
  const whole = encodeURIComponent(
    JSON.stringify({ ...rest, ...(last && { last: formatStoredTabs(last) }) }),
  );
  const value = whole.length > maxCookieBytes ? encodeURIComponent(JSON.stringify(rest)) : whole;
  return `${layoutCookieName(userId)}=${value}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

function parseArrangement(text: string): WorkspaceLayout {
  const value = decodeJson(text);
  if (!isRecord(value)) return initialLayout;
  const last = parseStoredTabs(value.last);
  return {
    ...parseLayout(value),
    ...(last && { last }),
  };
}

/** Parses the part of a layout that is stored per project. */
export function parseLayout(
  value: Record<string, unknown>,
): Pick<WorkspaceLayout, 'layout' | 'panel' | 'dock' | 'sizes'> {
  return {
    layout: layoutNames.find((name) => name === value.layout) ?? initialLayout.layout,
    panel: parseName(value.panel),
    dock: parseName(value.dock),
    sizes: isRecord(value.sizes) ? parseSizes(value.sizes) : {},
  };
}

function parseName(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Open tabs as stored in JSON. */
export function formatStoredTabs({ project, sides }: StoredTabs): {
  readonly project: string;
  readonly sides: readonly StoredTabList[];
} {
  return { project, sides: sides.map(toStoredTabList) };
}

/** Parses stored open tabs. */
export function parseStoredTabs(value: unknown): StoredTabs | undefined {
  if (!isRecord(value) || typeof value.project !== 'string' || !Array.isArray(value.sides))
    return undefined;
  return { project: value.project, sides: value.sides.flatMap((side) => parseTabList(side) ?? []) };
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    // The cookie may be truncated, or planted by a page that was run. It is ignored then.
    return undefined;
  }
}

function parseSizes(value: Record<string, unknown>): Record<string, TrackSizes> {
  const sizes: Record<string, TrackSizes> = {};
  for (const [key, each] of Object.entries(value)) {
    if (!isRecord(each)) continue;
    const columns = parseAxis(each.columns);
    const rows = parseAxis(each.rows);
    if (columns && rows) sizes[key] = { columns, rows };
  }
  return sizes;
}

function parseAxis(value: unknown): AxisSizes | undefined {
  if (!isRecord(value)) return undefined;
  const sizes: Record<string, number> = {};
  for (const [id, size] of Object.entries(value)) {
    if (typeof size !== 'number' || !(size >= 0 && size <= 100)) return undefined;
    sizes[id] = size;
  }
  return sizes;
}
