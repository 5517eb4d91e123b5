import LayoutGrid from 'lucide-react/icons/layout-grid';
import List from 'lucide-react/icons/list';
import { useEffect, useEffectEvent, useRef, useState, type FormEvent } from 'react';
import { Link, useNavigate, useNavigation, useRevalidator } from 'react-router';
import { visibilities } from '@vitrine/project';
import { Timer } from '../schedule.ts';
import { Button } from '../ui/button.tsx';
import { visibilityLabels } from './project-list.tsx';
import styles from './work-filters.module.css';
import {
  formatViewCookie,
  formatWorkUrl,
  parseWorkQuery,
  type WorkQuery,
  type WorkSort,
  type WorkView,
} from './work-query.ts';

const sortLabels: Readonly<Record<WorkSort, string>> = {
  updated: 'Last updated',
  created: 'Newest',
  title: 'Title',
};

/** Pause after which a typed text is searched. */
const typingPauseMs = 250;

interface WorkFiltersProps {
  query: WorkQuery;
  tags: readonly { readonly tag: string; readonly count: number }[];
}

/**
 * Search field and filters. Each changes the URL; without scripts the form does, by its button. Native
 * selects, because those work before the page's script has loaded.
 */
export function WorkFilters({ query, tags }: WorkFiltersProps) {
  const shown = usePendingQuery() ?? query;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [timer] = useState(() => new Timer());
  useEffect(() => () => timer.stop(), [timer]);

  function submit(): void {
    timer.stop();
    if (!form.current) return;
    // The form's fields are those of a URL.
    const values = new URLSearchParams();
    for (const [name, value] of new FormData(form.current))
      if (typeof value === 'string') values.append(name, value);
    const next = parseWorkQuery(values.toString());
    // A text that's typed on replaces its page in the history.
    const replace = next.text !== '' && shown.text !== '';
    void navigate(formatWorkUrl(next), { replace, preventScrollReset: true });
  }

  return (
    <search className={styles.search}>
      <form
        ref={form}
        action="/work"
        className={styles.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        {query.tab !== 'own' && <input type="hidden" name="show" value={query.tab} />}
        <SearchField
          text={query.text}
          isTyping={() => timer.isRunning}
          onType={() => timer.start(typingPauseMs, submit)}
        />
        <FilterSelect
          name="visibility"
          label="Visibility"
          value={shown.visibility ?? ''}
          options={[
            ['', 'All'],
            ...visibilities.map((value) => [value, visibilityLabels[value].text] as const),
          ]}
          onChange={submit}
        />
        {(tags.length > 0 || shown.tag !== null) && (
          <FilterSelect
            name="tag"
            label="Tag"
            value={shown.tag ?? ''}
            options={[
              ['', 'All'],
              ...(shown.tag !== null && !tags.some(({ tag }) => tag === shown.tag)
                ? [[shown.tag, shown.tag] as const]
                : []),
              ...tags.map(({ tag, count }) => [tag, `${tag} (${count})`] as const),
            ]}
            onChange={submit}
          />
        )}
        <FilterSelect
          name="sort"
          label="Sort"
          value={shown.sort}
          options={Object.entries(sortLabels)}
          onChange={submit}
        />
        <noscript>
          <Button type="submit">Search</Button>
        </noscript>
      </form>
    </search>
  );
}

/** The query of a page of Your work that is loading. */
export function usePendingQuery(): WorkQuery | undefined {
  const { location } = useNavigation();
  return location?.pathname === '/work' ? parseWorkQuery(location.search) : undefined;
}

interface SearchFieldProps {
  text: string;
  /** Whether there is typed text that the URL doesn't have yet. */
  isTyping: () => boolean;
  onType: () => void;
}

/** The search field. It keeps what is being typed, and else follows the URL. */
function SearchField({ text, isTyping, onType }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const isFirst = useRef(true);
  const updateField = useEffectEvent((next: string) => {
    // What was typed before the page's script had loaded stays.
    const isKept = isTyping() || (isFirst.current && field.current === document.activeElement);
    isFirst.current = false;
    // A space at the end isn't in the URL.
    if (field.current && !isKept && field.current.value.trim() !== next) field.current.value = next;
  });
  useEffect(() => updateField(text), [text]);
  return (
    <input
      ref={field}
      type="search"
      name="q"
      aria-label="Search projects"
      placeholder="Search titles, paths, and code"
      defaultValue={text}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      className={styles.field}
      onChange={onType}
    />
  );
}

interface FilterSelectProps {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: () => void;
}

function FilterSelect({ name, label, value, options, onChange }: FilterSelectProps) {
  return (
    <label className={styles.filter}>
      <span className={styles.label}>{label}</span>
      <select name={name} value={value} onChange={onChange} className={styles.select}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const views = [
  { view: 'grid', label: 'Grid', Icon: LayoutGrid },
  { view: 'list', label: 'List', Icon: List },
] as const;

/** Links that switch between cards and rows. The choice is kept in a cookie. */
export function ViewSwitch({ query, current }: { query: WorkQuery; current: WorkView }) {
  const { revalidate } = useRevalidator();
  const url = formatWorkUrl(query);
  return (
    <nav className={styles.views} aria-label="View">
      {views.map(({ view, label, Icon }) => (
        <Link
          key={view}
          to={`${url}${url.includes('?') ? '&' : '?'}view=${view}`}
          aria-label={label}
          aria-current={view === current || undefined}
          title={label}
          className={styles.view}
          onClick={(event) => {
            event.preventDefault();
            document.cookie = formatViewCookie(view);
            void revalidate();
          }}
        >
          <Icon aria-hidden />
        </Link>
      ))}
    </nav>
  );
}
