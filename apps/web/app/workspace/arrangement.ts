import type { Tabs } from './tabs.ts';

/** How a person has set up their workspace on this device: the layout, what is open, and the sizes. */
export interface Arrangement {
  readonly layout: LayoutName;
  readonly panel: PanelName | null;
  readonly dock: DockTab | null;
  /** Sizes in percent by `sizesKey`, each for one axis's tracks by their id. */
  readonly sizes: Readonly<Record<string, Sizes>>;
  /** What stood open in the project that was seen last, for the page that the server renders. */
  readonly last?: LastOpen;
}

/** The tabs of a project, of one side or two. */
export interface LastOpen {
  readonly project: string;
  readonly sides: readonly Tabs[];
}

export const layoutNames = ['side', 'stacked', 'columns', 'code', 'result'] as const;
export type LayoutName = (typeof layoutNames)[number];
export const panelNames = ['files', 'search', 'packages'] as const;
export type PanelName = (typeof panelNames)[number];
export const dockTabs = [
  'console',
  'problems',
  'tests',
  'accessibility',
  'network',
  'devtools',
] as const;
export type DockTab = (typeof dockTabs)[number];
type AxisSizes = Readonly<Record<string, number>>;

export interface Sizes {
  readonly columns: AxisSizes;
  readonly rows: AxisSizes;
}

export const initialArrangement: Arrangement = {
  layout: 'side',
  panel: null,
  dock: null,
  sizes: {},
};

/** Sizes are remembered for each combination of what is on the screen. */
export function sizesKey({ layout, panel, dock }: Arrangement, isSplit = false): string {
  const parts = [panel !== null && 'panel', dock !== null && 'dock', isSplit && 'split'];
  return [layout, ...parts.filter(Boolean)].join('+');
}

/** The arrangement with other sizes for what is on the screen now. */
export function withSizes(arrangement: Arrangement, sizes: Sizes, isSplit = false): Arrangement {
  const rounded = { columns: round(sizes.columns), rows: round(sizes.rows) };
  return {
    ...arrangement,
    sizes: { ...arrangement.sizes, [sizesKey(arrangement, isSplit)]: rounded },
  };
}

function round(sizes: AxisSizes): AxisSizes {
  return Object.fromEntries(
    Object.entries(sizes).map(([id, size]) => [id, Math.round(size * 10) / 10]),
  );
}

/** The name of the cookie that keeps a person's arrangement; `person` is their id, or null. */
function arrangementCookie(person: string | null): string {
  return `arrangement-${person === null ? 'guest' : person.slice(0, 8)}`;
}

/** The arrangement in a Cookie header. Whatever does not read as one is the initial arrangement. */
export function findArrangement(cookies: string, person: string | null): Arrangement {
  const name = `${arrangementCookie(person)}=`;
  const pair = cookies.split(/;\s*/).find((candidate) => candidate.startsWith(name));
  return pair === undefined ? initialArrangement : parseArrangement(pair.slice(name.length));
}

/** An address that ends in `?view=tests` opens a project at its tests. */
export function openAt(arrangement: Arrangement, address: string): Arrangement {
  const view = new URL(address).searchParams.get('view');
  return view === 'tests' ? { ...arrangement, dock: 'tests' } : arrangement;
}

/** A cookie has 4,096 bytes at most, and goes with every request. */
const cookieMost = 3_000;

/**
 * The cookie for `document.cookie`; it lasts a year from the last change. What stands open is left
 * out where it is long: then the page opens with its first files, and the rest a moment later.
 */
export function arrangementToCookie(arrangement: Arrangement, person: string | null): string {
  const whole = encodeURIComponent(JSON.stringify(arrangement));
  const { last: _, ...rest } = arrangement;
  const value = whole.length > cookieMost ? encodeURIComponent(JSON.stringify(rest)) : whole;
  return `${arrangementCookie(person)}=${value}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

function parseArrangement(text: string): Arrangement {
  const value = decodeJson(text);
  if (!isRecord(value)) return initialArrangement;
  const last = findLast(value.last);
  return {
    ...parseLayout(value),
    ...(last && { last }),
  };
}

/** The part of an arrangement that each project has for itself, from anything. */
export function parseLayout(
  value: Record<string, unknown>,
): Pick<Arrangement, 'layout' | 'panel' | 'dock' | 'sizes'> {
  return {
    layout: layoutNames.find((name) => name === value.layout) ?? initialArrangement.layout,
    panel: panelNames.find((name) => name === value.panel) ?? null,
    dock: dockTabs.find((name) => name === value.dock) ?? null,
    sizes: isRecord(value.sizes) ? parseSizes(value.sizes) : {},
  };
}

/** What stood open, from anything. */
export function findLast(value: unknown): LastOpen | undefined {
  if (!isRecord(value) || typeof value.project !== 'string' || !Array.isArray(value.sides))
    return undefined;
  return { project: value.project, sides: value.sides.flatMap((side) => findTabs(side) ?? []) };
}

function findTabs(value: unknown): Tabs | undefined {
  if (!isRecord(value) || !Array.isArray(value.open)) return undefined;
  const open = [...new Set(value.open.filter((path) => typeof path === 'string'))];
  const find = (path: unknown) => open.find((each) => each === path);
  const pinned = Number(value.pinned);
  return {
    open,
    active: find(value.active) ?? open[0],
    preview: find(value.preview),
    pinned: pinned >= 0 ? Math.min(Math.floor(pinned), open.length) : 0,
  };
}

function decodeJson(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text));
  } catch {
    // The cookie can be cut short, or planted by a page that was run: then it means nothing.
    return undefined;
  }
}

function parseSizes(value: Record<string, unknown>): Record<string, Sizes> {
  const sizes: Record<string, Sizes> = {};
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
