import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import X from 'lucide-react/icons/x';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import type { FoundProject } from '../workspace/find-project.server.ts';
import { SavedResult } from '../workspace/preview/saved-result.tsx';
import { getWorkspacePath } from '../workspace/sharing/identity.ts';
import { ButtonLink } from '../ui/button.tsx';
import { getCollectionPath } from './collection-list.tsx';
import type { Collection } from './read-collection.server.ts';
import styles from './slide-show.module.css';

/** A project of a slide show, counted from 1 among those that can be shown. */
export interface Slide {
  readonly number: number;
  readonly project: FoundProject;
}

interface SlideShowProps {
  collection: Collection;
  slide: Slide;
}

/** A collection played as slides: one project's result fills the page, the arrow keys go on. */
export function SlideShow({ collection, slide: { number, project } }: SlideShowProps) {
  const navigate = useNavigate();
  const path = getCollectionPath(collection.owner.username, collection.slug);
  const shown = collection.items.filter((item) => item.project !== null);
  const count = shown.length;
  const note = shown[number - 1]?.note;
  const { identity } = project;

  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = findSlide(event.key, number, count);
    if (next !== undefined) void navigate(`?slide=${next}`, { replace: true });
    else if (event.key === 'Escape') void navigate(path);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handleKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);

  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <IconLink to={path} label="Exit slideshow">
          <X aria-hidden />
        </IconLink>
        <h1 className={styles.title}>{identity.title}</h1>
        <span className={styles.owner}>{identity.owner}</span>
        <nav className={styles.pages} aria-label="Slides">
          <IconLink to={number > 1 ? `?slide=${number - 1}` : null} label="Previous slide">
            <ChevronLeft aria-hidden />
          </IconLink>
          <output className={styles.number} aria-label="Slide">
            {number} of {count}
          </output>
          <IconLink to={number < count ? `?slide=${number + 1}` : null} label="Next slide">
            <ChevronRight aria-hidden />
          </IconLink>
        </nav>
        <ButtonLink to={getWorkspacePath(identity)} size="small" variant="quiet">
          View code
        </ButtonLink>
      </header>
      {note && <p className={styles.note}>{note}</p>}
      {/* Each slide runs from the start. */}
      <SavedResult key={identity.id} project={project} />
    </div>
  );
}

/** The slide that a key leads to; undefined for other keys and at the ends. */
function findSlide(key: string, current: number, count: number): number | undefined {
  const slides: Readonly<Record<string, number>> = {
    ArrowRight: current + 1,
    PageDown: current + 1,
    ArrowLeft: current - 1,
    PageUp: current - 1,
    Home: 1,
    End: count,
  };
  const next = slides[key];
  return next === undefined || next < 1 || next > count || next === current ? undefined : next;
}

interface IconLinkProps {
  /** Null at the end of the show, where the link is disabled. */
  to: string | null;
  label: string;
  children: ReactNode;
}

function IconLink({ to, label, children }: IconLinkProps) {
  if (to === null) {
    return (
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a disabled link has no target
      <span role="link" aria-disabled="true" aria-label={label} className={styles.iconLink}>
        {children}
      </span>
    );
  }
  return (
    <Link
      to={to}
      replace={to.startsWith('?')}
      aria-label={label}
      title={label}
      className={styles.iconLink}
    >
      {children}
    </Link>
  );
}
