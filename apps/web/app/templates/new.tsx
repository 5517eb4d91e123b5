import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { useAddressImport } from '../import/address-import.ts';
import { importRequest } from '../import/import-request.ts';
import { ExampleCards } from '../projects/example-cards.tsx';
import { listExamples } from '../projects/examples.server.ts';
import { requestContext } from '../request-context.ts';
import { Timer } from '../schedule.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Route } from './+types/new';
import { listTemplates } from './list-templates.server.ts';
import styles from './new.module.css';
import { TemplateItem } from './template-item.tsx';
import { findNeighbor } from './template-keys.ts';
import { TemplatePreview } from './template-preview.tsx';
import { searchTemplates, type Template } from './template.ts';

export const meta: Route.MetaFunction = () => [{ title: 'New project — Vitrine' }];

export async function loader({ context }: Route.LoaderArgs) {
  const templates = await listTemplates(context.get(requestContext));
  return { templates, examples: listExamples().examples };
}

/** Pause of the pointer or the arrow keys on a template after which its preview starts. */
const previewDelayMs = 150;

export default function NewProject({ loaderData: { templates, examples } }: Route.ComponentProps) {
  useAddressImport();
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1 className={styles.title}>New project</h1>
          <p className={styles.intro}>Projects stay on this device until you save them.</p>
        </div>
        <Button onClick={() => importRequest.set({})}>Import</Button>
      </div>
      <TemplateChooser templates={templates} />
      <h2 className={styles.heading}>Or start from an example</h2>
      <ExampleCards label="Examples" examples={examples} />
    </div>
  );
}

/** Searchable templates, with a live preview of the selected one beside them or in a dialog. */
function TemplateChooser({ templates }: Pick<Route.ComponentProps['loaderData'], 'templates'>) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [dialog, setDialog] = useState<Template>();
  const search = useRef<HTMLInputElement>(null);
  const groups = [
    { label: 'Your templates', found: searchTemplates(templates.own, query) },
    { label: 'Instance templates', found: searchTemplates(templates.instance, query) },
    { label: 'Templates', found: searchTemplates(templates.builtIn, query) },
  ].filter(({ found }) => found.length > 0);
  const all = groups.flatMap(({ found }) => found);
  const selected = all.find(({ path }) => path === chosen) ?? all[0];
  const previewed = usePreviewed(selected);
  const open = ({ path }: Template) => void navigate(`/new/${path}`);

  function handleKey(event: KeyboardEvent<HTMLElement>): void {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLInputElement && key !== 'ArrowDown') return;
    const next = findNeighbor(event.currentTarget, target, key);
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (key === 'ArrowUp') {
      event.preventDefault();
      search.current?.focus();
    }
    // A character that is typed on the list goes into the search.
    else if (/^[^\s]$/u.test(key)) search.current?.focus();
  }

  return (
    <div className={styles.chooser}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys only move the focus between its controls */}
      <div className={styles.list} onKeyDown={handleKey}>
        <search>
          <form
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              if (selected) open(selected);
            }}
          >
            <input
              ref={search}
              type="search"
              aria-label="Search templates"
              aria-describedby="template-count"
              placeholder="Search templates"
              value={query}
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
              enterKeyHint="go"
              className={styles.search}
              onChange={({ target }) => {
                setQuery(target.value);
                setChosen(undefined);
              }}
            />
          </form>
          <output id="template-count" className={styles.count}>
            {query.trim() !== '' && selected && describeFound(all.length, selected)}
          </output>
        </search>
        {!templates.isComplete && (
          <p className={styles.count}>Saved templates couldn’t be loaded. Reload to try again.</p>
        )}
        {groups.map(({ label, found }) => (
          <section key={label} aria-label={label} className={styles.group}>
            {groups.length > 1 && <h2 className={styles.groupTitle}>{label}</h2>}
            <ul className={styles.templates} aria-label={label}>
              {found.map((template) => (
                <li key={template.path}>
                  <TemplateItem
                    template={template}
                    isSelected={template === selected}
                    onSelect={() => setChosen(template.path)}
                    onOpen={() => open(template)}
                    onPreview={() => setDialog(template)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {all.length === 0 && (
          <EmptyState title={`No templates match “${query.trim()}”.`}>
            <Button
              onClick={() => {
                setQuery('');
                search.current?.focus();
              }}
            >
              Clear search
            </Button>
          </EmptyState>
        )}
      </div>
      {previewed && (
        <aside className={styles.aside} aria-label="Preview">
          <TemplatePreview template={previewed} onOpen={() => open(previewed)} />
        </aside>
      )}
      <Dialog
        open={dialog !== undefined}
        onClose={() => setDialog(undefined)}
        title={dialog?.title ?? ''}
        width="wide"
      >
        {dialog && <TemplatePreview template={dialog} onOpen={() => open(dialog)} />}
      </Dialog>
    </div>
  );
}

function describeFound(count: number, { title }: Template): string {
  return `${count === 1 ? '1 template' : `${count} templates`}. Press Enter to open ${title}.`;
}

/** Follows the selected template once the selection rests. */
function usePreviewed(selected: Template | undefined): Template | undefined {
  const [previewed, setPreviewed] = useState(selected);
  const [timer] = useState(() => new Timer());
  useEffect(() => {
    timer.start(previewDelayMs, () => setPreviewed(selected));
    return () => timer.stop();
  }, [timer, selected]);
  return previewed;
}
