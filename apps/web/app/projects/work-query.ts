import { isVisibility, validateTag, type Visibility } from '@vitrine/project';

/** Tabs of Your work, by their value in the URL. `own` is the default and not in it. */
export const workTabs = ['own', 'shared', 'collections', 'drafts', 'trash'] as const;
export type WorkTab = (typeof workTabs)[number];

export const workSorts = ['updated', 'created', 'title'] as const;
export type WorkSort = (typeof workSorts)[number];

/** What a URL of Your work asks for: `/work?show=trash&q=snake&sort=title`. */
export interface WorkQuery {
  readonly tab: WorkTab;
  readonly text: string;
  readonly visibility: Visibility | null;
  readonly tag: string | null;
  readonly sort: WorkSort;
  /** Cursor of the page after or before it, from `list_work`. */
  readonly page: { readonly cursor: string; readonly isBackward: boolean } | null;
}

const defaultQuery: WorkQuery = {
  tab: 'own',
  text: '',
  visibility: null,
  tag: null,
  sort: 'updated',
  page: null,
};

/** Longer search texts are cut, so that a URL can't make the database search for megabytes. */
const maxTextLength = 200;

/** Parses a query string. Anything unknown in it counts as missing. */
export function parseWorkQuery(search: string): WorkQuery {
  const values = new URLSearchParams(search);
  const visibility = values.get('visibility');
  const tag = values.get('tag');
  const after = values.get('after');
  const before = values.get('before');
  const cursor = after ?? before;
  return {
    tab: find(workTabs, values.get('show')) ?? defaultQuery.tab,
    text: (values.get('q') ?? '').trim().slice(0, maxTextLength),
    visibility: isVisibility(visibility) ? visibility : null,
    tag: tag !== null && validateTag(tag) === undefined ? tag : null,
    sort: find(workSorts, values.get('sort')) ?? defaultQuery.sort,
    page: cursor === null ? null : { cursor, isBackward: after === null },
  };
}

function find<Value extends string>(
  values: readonly Value[],
  value: string | null,
): Value | undefined {
  return values.find((known) => known === value);
}

/** Formats a URL of Your work without defaults: `{ tag: 'game' }` → `/work?tag=game`. */
export function formatWorkUrl(query: Partial<WorkQuery>): string {
  const { tab, text, visibility, tag, sort, page } = { ...defaultQuery, ...query };
  const values = new URLSearchParams();
  if (tab !== defaultQuery.tab) values.set('show', tab);
  if (text !== '') values.set('q', text);
  if (visibility !== null) values.set('visibility', visibility);
  if (tag !== null) values.set('tag', tag);
  if (sort !== defaultQuery.sort) values.set('sort', sort);
  if (page !== null) values.set(page.isBackward ? 'before' : 'after', page.cursor);
  const search = values.toString();
  return search === '' ? '/work' : `/work?${search}`;
}

/** Whether the query leaves projects out of its tab. */
export function isFiltered({ text, visibility, tag }: WorkQuery): boolean {
  return text !== '' || visibility !== null || tag !== null;
}

export type WorkView = 'grid' | 'list';

const viewCookie = 'work-view';

/**
 * Finds how projects are shown: as `?view=` says, else as chosen on this device before. `cookie` is to
 * be set if the URL says it.
 */
export function findWorkView(request: Request): { view: WorkView; cookie?: string } {
  const asked = new URL(request.url).searchParams.get('view');
  if (asked === 'grid' || asked === 'list') return { view: asked, cookie: formatViewCookie(asked) };
  const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/);
  return { view: pairs.includes(`${viewCookie}=list`) ? 'list' : 'grid' };
}

/** Serializes the choice for a cookie, for a year. */
export function formatViewCookie(view: WorkView): string {
  return `${viewCookie}=${view}; Path=/; Max-Age=31536000; SameSite=Lax`;
}
