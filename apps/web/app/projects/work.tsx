import Plus from 'lucide-react/icons/plus';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { limits } from '@vitrine/project';
import { NewCollectionButton } from '../collections/collection-dialogs.tsx';
import { CollectionList } from '../collections/collection-list.tsx';
import { listCollections, type CollectionSummary } from '../collections/read-collection.server.ts';
import { listPendingInvitations } from '../people/pending-invitations.server.ts';
import { PendingInvitations } from '../people/pending-invitations.tsx';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageError } from '../ui/page/page-error.tsx';
import { useRowFocus } from '../ui/lists/row-focus.ts';
import type { Route } from './+types/work';
import { DraftList } from './draft-list.tsx';
import { listWork, type WorkListing } from './list-work.server.ts';
import { EmptyTrashButton, TrashList } from './trash-list.tsx';
import { usePendingQuery, ViewSwitch, WorkFilters } from './work-filters.tsx';
import { WorkList } from './work-list.tsx';
import {
  findWorkView,
  formatWorkUrl,
  isFiltered,
  parseWorkQuery,
  type WorkQuery,
  type WorkTab,
  type WorkView,
} from './work-query.ts';
import styles from './work.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Your work — Vitrine' }];

export async function loader({ context, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { view, cookie } = findWorkView(request);
  if (cookie !== undefined) requestInfo.headers.append('Set-Cookie', cookie);
  const query = parseWorkQuery(new URL(request.url).search);
  const userId = requestInfo.claims?.sub;
  const [listing, collections, invitations] = await Promise.all([
    listWork(requestInfo, query),
    query.tab === 'collections' && userId !== undefined ? listCollections(requestInfo, userId) : [],
    listPendingInvitations(requestInfo),
  ]);
  return { query, view, collections, invitations, ...listing };
}

/** A page that can't load still shows the drafts, which are on this device. */
export function ErrorBoundary() {
  return (
    <PageError>
      <Section title="Drafts on this device">
        <DraftList />
      </Section>
    </PageError>
  );
}

export default function Work({ loaderData }: Route.ComponentProps) {
  const { query, view, collections, invitations, ...listing } = loaderData;
  const viewer = useViewer();
  const isLoading = usePendingQuery() !== undefined;
  return (
    <div ref={useRowFocus<HTMLDivElement>()} className={styles.page}>
      <h1 className={styles.title}>Your work</h1>
      <PendingInvitations invitations={invitations} />
      {viewer ? (
        <>
          <Tabs current={query.tab} counts={listing.counts} />
          <div className={styles.content} aria-busy={isLoading || undefined}>
            {query.tab === 'collections' ? (
              <CollectionsTab collections={collections} username={viewer.username ?? ''} />
            ) : (
              <TabContent query={query} view={view} listing={listing} viewerId={viewer.id} />
            )}
          </div>
        </>
      ) : (
        <Section title="Drafts on this device">
          <DraftList />
        </Section>
      )}
    </div>
  );
}

function Tabs({ current, counts }: { current: WorkTab; counts: WorkListing['counts'] }) {
  const tabs: readonly { tab: WorkTab; label: string; count?: number }[] = [
    { tab: 'own', label: 'Projects', count: counts.own },
    { tab: 'shared', label: 'Shared with me', count: counts.shared },
    { tab: 'collections', label: 'Collections' },
    { tab: 'drafts', label: 'Drafts' },
    { tab: 'trash', label: 'Trash', count: counts.trash },
  ];
  return (
    <nav className={styles.tabs} aria-label="Your work">
      {tabs.map(({ tab, label, count }) => (
        <Link
          key={tab}
          ref={tab === current ? scrollTabsTo : undefined}
          to={formatWorkUrl({ tab })}
          className={styles.tab}
          aria-current={tab === current ? 'page' : undefined}
        >
          {label}
          {count !== undefined && count > 0 && <span className={styles.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

/**
 * Scrolls the bar of tabs, which don't all fit on a phone. The page stays where the user has scrolled
 * it before its scripts ran.
 */
function scrollTabsTo(tab: Element | null): void {
  const bar = tab?.parentElement;
  if (!bar) return;
  const [inner, outer] = [tab.getBoundingClientRect(), bar.getBoundingClientRect()];
  bar.scrollLeft += Math.max(0, inner.right - outer.right) + Math.min(0, inner.left - outer.left);
}

interface TabContentProps {
  query: WorkQuery;
  view: WorkView;
  listing: WorkListing;
  viewerId: string;
}

function TabContent({ query, view, listing, viewerId }: TabContentProps) {
  switch (query.tab) {
    case 'own':
      return <ProjectsTab query={query} view={view} listing={listing} title="Projects" isOwn />;
    case 'shared':
      return <ProjectsTab query={query} view={view} listing={listing} title="Shared with me" />;
    case 'drafts':
      return (
        <Section title="Drafts on this device" isTitleHidden>
          <p className={styles.note}>
            Drafts are only on this device. Save one to open it anywhere and share it.
          </p>
          <DraftList key={viewerId} />
        </Section>
      );
    case 'trash':
      return <TrashTab query={query} listing={listing} />;
    default:
      return null;
  }
}

interface CollectionsTabProps {
  collections: readonly CollectionSummary[];
  username: string;
}

function CollectionsTab({ collections, username }: CollectionsTabProps) {
  return (
    <Section title="Collections" isTitleHidden>
      {collections.length > 0 ? (
        <>
          <div className={styles.tools}>
            <p className={styles.note}>Group projects to share them or play them as slides.</p>
            <NewCollectionButton username={username} />
          </div>
          <CollectionList collections={collections} username={username} showsVisibility />
        </>
      ) : (
        <EmptyState title="No collections yet. Group projects to share them or play them as slides.">
          <NewCollectionButton username={username} size="regular" />
        </EmptyState>
      )}
    </Section>
  );
}

interface ProjectsTabProps extends Omit<TabContentProps, 'viewerId'> {
  title: string;
  isOwn?: boolean;
}

function ProjectsTab({ query, view, listing, title, isOwn = false }: ProjectsTabProps) {
  // Selections and dialogs belong to one list.
  const { search } = useLocation();
  const { projects, tags } = listing;
  const count = listing.counts[isOwn ? 'own' : 'shared'];
  if (isOwn && count === 0) return <FirstProject query={query} />;
  return (
    <Section title={title} isTitleHidden>
      {count > 0 && (
        <div className={styles.tools}>
          <WorkFilters query={query} tags={isOwn ? tags : []} />
          <ViewSwitch query={query} current={view} />
        </div>
      )}
      {count > 0 && <Summary query={query} listing={listing} />}
      {projects.length > 0 ? (
        <WorkList
          key={search}
          label={title}
          projects={projects}
          view={view}
          tags={tags.map(({ tag }) => tag)}
          isOwn={isOwn}
        />
      ) : (
        <NoProjects query={query} />
      )}
      <Pages query={query} listing={listing} />
    </Section>
  );
}

const renderDrafts = (drafts: ReactNode) => (
  <Section title="Drafts on this device">{drafts}</Section>
);

/** For a user who hasn't saved a project yet: maybe there are drafts to save. */
function FirstProject({ query }: { query: WorkQuery }) {
  return (
    <>
      <Section title="Projects" isTitleHidden>
        <NoProjects query={query} />
      </Section>
      <DraftList frame={renderDrafts} />
    </>
  );
}

function NoProjects({ query }: { query: WorkQuery }) {
  if (isFiltered(query)) {
    return (
      <EmptyState title="No projects match.">
        <ButtonLink to={formatWorkUrl({ tab: query.tab })}>Clear filters</ButtonLink>
      </EmptyState>
    );
  }
  if (query.tab === 'shared') return <EmptyState title="No projects are shared with you yet." />;
  return (
    <EmptyState title="No projects yet. Save a draft to create one.">
      <ButtonLink to="/new" icon={<Plus aria-hidden />}>
        New project
      </ButtonLink>
    </EmptyState>
  );
}

/** How many projects match. Announced, since the list changes while the user types. */
function Summary({ query, listing: { total, isAllSearched } }: PagesProps) {
  const projects = total === 1 ? '1 project' : `${total} projects`;
  return (
    <output className={styles.summary} aria-label="Number of projects">
      {isFiltered(query) ? `${projects} found` : projects}
      {!isAllSearched && '. Code search covered only your most recent projects.'}
      {isFiltered(query) && (
        <Link to={formatWorkUrl({ tab: query.tab, sort: query.sort })}>Clear filters</Link>
      )}
    </output>
  );
}

interface PagesProps {
  query: WorkQuery;
  listing: WorkListing;
}

function Pages({ query, listing: { next, previous } }: PagesProps) {
  if (next === null && previous === null) return null;
  const url = (cursor: string, isBackward: boolean) =>
    formatWorkUrl({ ...query, page: { cursor, isBackward } });
  return (
    <nav className={styles.pages} aria-label="Pages">
      {previous !== null && <ButtonLink to={url(previous, true)}>Previous</ButtonLink>}
      {next !== null && <ButtonLink to={url(next, false)}>Next</ButtonLink>}
    </nav>
  );
}

function TrashTab({ query, listing }: PagesProps) {
  const { search } = useLocation();
  if (listing.projects.length === 0) {
    return (
      <Section title="Trash" isTitleHidden>
        <EmptyState title="The trash is empty." />
      </Section>
    );
  }
  return (
    <Section title="Trash" isTitleHidden>
      <div className={styles.tools}>
        <p className={styles.note}>
          Projects in the trash are deleted after {limits.trashDays} days.
        </p>
        <EmptyTrashButton count={listing.counts.trash} />
      </div>
      <TrashList key={search} projects={listing.projects} />
      <Pages query={query} listing={listing} />
    </Section>
  );
}

interface SectionProps {
  title: string;
  /** For a section whose title is that of its tab. */
  isTitleHidden?: boolean;
  children: ReactNode;
}

function Section({ title, isTitleHidden = false, children }: SectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      {!isTitleHidden && <h2 className={styles.heading}>{title}</h2>}
      {children}
    </section>
  );
}
