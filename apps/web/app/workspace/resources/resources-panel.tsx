import { describeError, findErrorCode, getExtension, type ErrorCode } from '@vitrine/project';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Trash2 from 'lucide-react/icons/trash-2';
import { useId, useMemo, useRef, useState, type FormEvent } from 'react';
import { PackageFailure, PackageProgress } from '../../packages/package-status.tsx';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import { useRequestedFocus, type LayoutController } from '../layout/layout-controller.ts';
import type { WorkspaceSession } from '../session.ts';
import type { FileOperations } from '../tree/file-operations.ts';
import { useStore, type ValueStore } from '../value-store.ts';
import { isReplaceable, planReplacement } from './package-replacement.ts';
import {
  addResource,
  findResourceProblem,
  parseAddress,
  readPage,
  removeElement,
  setLoading,
  swapElements,
  type PageEdits,
  type PageOutline,
  type PageResource,
  type ScriptLoading,
} from './page-resources.ts';
import styles from './resources-panel.module.css';

interface ResourcesPanelProps {
  session: WorkspaceSession;
  /** Texts of the files, updated shortly after typing. */
  texts: ValueStore<ReadonlyMap<string, string>>;
  fileOperations: FileOperations;
  packages: ProjectPackages;
  layout: LayoutController;
  /** Cancels the current installation. */
  onCancel: () => void;
}

/** Content of the panel with the scripts and stylesheets that pages load from other hosts. */
export default function ResourcesPanel(props: ResourcesPanelProps) {
  const { texts, packages, layout, onCancel } = props;
  const files = useStore(texts);
  const pages = useMemo(() => [...files.keys()].filter(isPage), [files]);
  const [chosen, setChosen] = useState<string>();
  const path =
    chosen !== undefined && pages.includes(chosen)
      ? chosen
      : (pages.find((each) => each === 'index.html') ?? pages[0]);
  const field = useRef<HTMLInputElement>(null);
  useRequestedFocus(layout, 'resources', () => field.current);
  if (path === undefined)
    return (
      <p className={styles.empty}>
        {[...files.keys()].some((each) => getExtension(each) === 'md')
          ? 'Markdown pages don’t have their own <head>. Add an index.html to load scripts and stylesheets from other hosts.'
          : 'Add an index.html to load scripts and stylesheets from other hosts.'}
      </p>
    );
  return (
    <>
      {pages.length > 1 && (
        <div className={styles.pages}>
          <Select
            label="Page"
            labelHidden
            size="small"
            value={path}
            options={pages.map((each) => ({ value: each, label: each }))}
            onChange={setChosen}
          />
        </div>
      )}
      <PageResources {...props} key={path} path={path} field={field} />
      <PackageProgress packages={packages} onCancel={onCancel} />
    </>
  );
}

function isPage(path: string): boolean {
  return /^html?$/.test(getExtension(path));
}

interface PageResourcesProps extends ResourcesPanelProps {
  path: string;
  field: React.RefObject<HTMLInputElement | null>;
}

function PageResources({
  session,
  texts,
  fileOperations,
  packages,
  path,
  field,
}: PageResourcesProps) {
  const text = useStore(texts).get(path) ?? '';
  const page = useMemo(() => readPage(text), [text]);
  const keys = useMemo(() => listKeys(page.resources), [page]);

  /** Edits the page as it is now, which may be newer than what is shown. Returns an undo function. */
  function edit(find: (text: string) => PageEdits): () => void {
    const edits = find(session.files().get(path) ?? '');
    return fileOperations.writeEdits([{ path, edits }]).undo;
  }

  /** Edits the resource that is shown, unless the page has lost it. */
  function editResource(
    shown: PageResource,
    find: (text: string, current: PageResource, page: PageOutline) => PageEdits,
  ): (() => void) | undefined {
    const index = page.resources.indexOf(shown);
    let isGone = false;
    const undo = edit((now) => {
      const outline = readPage(now);
      const current = outline.resources[index];
      isGone = current?.address !== shown.address;
      return current && !isGone ? find(now, current, outline) : [];
    });
    return isGone ? undefined : undo;
  }

  function remove(resource: PageResource): void {
    const undo = editResource(resource, (now, current) => [removeElement(now, current)]);
    if (!undo) return;
    field.current?.focus();
    showToast({ title: `Removed ${nameOf(resource)}`, action: { label: 'Undo', run: undo } });
  }

  function move(resource: PageResource, by: -1 | 1): void {
    editResource(resource, (now, current, outline) => {
      const other = findNeighbor(outline, current, by);
      return other ? swapElements(now, current, other) : [];
    });
  }

  async function replaceByPackage(resource: PageResource): Promise<void> {
    const plan = planReplacement(session.files(), path, resource);
    if (!plan) return;
    const { name, code } = plan;
    if (plan.packages.length > 0 && !(await packages.add(plan.packages))) return;
    // The files may have been edited meanwhile.
    const current = readPage(session.files().get(path) ?? '').resources.find(
      ({ address, kind }) => address === resource.address && kind === resource.kind,
    );
    const edits = current && planReplacement(session.files(), path, current)?.edits;
    if (!edits) {
      const where = resource.kind === 'stylesheet' ? 'a stylesheet' : 'a module script';
      showToast({
        title: plan.packages.length > 0 ? `Added ${name}` : `Use ${name}`,
        description: `Add ${code} to ${where}, then remove this tag.`,
      });
      return;
    }
    const { undo } = fileOperations.writeEdits(edits);
    field.current?.focus();
    showToast({ title: `Now using the ${name} package`, action: { label: 'Undo', run: undo } });
  }

  return (
    <>
      <AddResource
        field={field}
        onAdd={(input) => void edit((now) => addResource(now, input, isSecure()))}
      />
      <div className={styles.body}>
        <PackageFailure packages={packages} />
        {page.resources.length === 0 ? (
          <p className={styles.empty}>{path} doesn’t load anything from other hosts.</p>
        ) : (
          <ul aria-label="External resources" className={styles.list}>
            {page.resources.map((resource, index) => (
              <ResourceRow
                // Moves with its element, so that the focus stays on a row's buttons.
                key={keys[index]}
                resource={resource}
                page={page}
                hasPackage={isReplaceable(resource)}
                onMove={(by) => move(resource, by)}
                onRemove={() => remove(resource)}
                onLoading={(loading) =>
                  editResource(resource, (now, current) => [setLoading(now, current, loading)])
                }
                onPackage={() => void replaceByPackage(resource)}
              />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** A key for each resource: its address, numbered, as the page may load one twice. */
function listKeys(resources: readonly PageResource[]): string[] {
  const counts = new Map<string, number>();
  return resources.map(({ address }) => {
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    return `${count} ${address}`;
  });
}

function isSecure(): boolean {
  return location.protocol === 'https:';
}

/** The next resource of the same kind in the page. */
function findNeighbor(
  { resources }: PageOutline,
  resource: PageResource,
  by: -1 | 1,
): PageResource | undefined {
  const same = resources.filter(({ kind }) => kind === resource.kind);
  return same[same.indexOf(resource) + by];
}

function AddResource({
  field,
  onAdd,
}: {
  field: React.RefObject<HTMLInputElement | null>;
  /** Throws the error of an input that can't be added. */
  onAdd: (input: string) => void;
}) {
  const [text, setText] = useState('');
  const [error, setError] = useState<ErrorCode>();
  const id = useId();

  function add(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() === '') return;
    try {
      onAdd(text);
      setText('');
      setError(undefined);
    } catch (caught) {
      const code = findErrorCode(caught);
      if (code.startsWith('resource_')) setError(code);
      else showErrorToast(code);
    }
  }

  const described = error && describeError(error);
  return (
    <form noValidate onSubmit={add} className={styles.form}>
      <input
        ref={field}
        aria-label="Add script or stylesheet"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        placeholder="https://… or a <script> tag"
        className={styles.field}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setError(undefined);
        }}
      />
      <Button type="submit" size="small">
        Add
      </Button>
      {described && (
        <p id={id} role="alert" className={styles.error}>
          {described.message} {described.action}
        </p>
      )}
    </form>
  );
}

const loadings: readonly { value: ScriptLoading; label: string }[] = [
  { value: 'blocking', label: 'Script' },
  { value: 'defer', label: 'Deferred script' },
  { value: 'async', label: 'Async script' },
  { value: 'module', label: 'Module' },
];

interface ResourceRowProps {
  resource: PageResource;
  page: PageOutline;
  hasPackage: boolean;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
  onLoading: (loading: ScriptLoading) => void;
  onPackage: () => void;
}

/** A script or stylesheet: URL, kind, problem and actions. */
function ResourceRow(props: ResourceRowProps) {
  const { resource, page, hasPackage, onMove, onRemove, onLoading, onPackage } = props;
  const { address, kind, loading, rel } = resource;
  const name = nameOf(resource);
  const problem = findResourceProblem(resource, page, isSecure());
  return (
    <li aria-label={address} className={styles.row}>
      <div className={styles.line}>
        <span className={styles.name} title={address}>
          {name}
        </span>
        <IconButton
          label={`Move ${name} up`}
          size="small"
          disabled={!findNeighbor(page, resource, -1)}
          onClick={() => onMove(-1)}
        >
          <ArrowUp aria-hidden />
        </IconButton>
        <IconButton
          label={`Move ${name} down`}
          size="small"
          disabled={!findNeighbor(page, resource, 1)}
          onClick={() => onMove(1)}
        >
          <ArrowDown aria-hidden />
        </IconButton>
        <IconButton label={`Remove ${name}`} size="small" onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <div className={styles.line}>
        {kind === 'script' ? (
          <Select
            label={`How ${name} loads`}
            labelHidden
            size="small"
            value={loading}
            options={loadings}
            onChange={onLoading}
          />
        ) : (
          <span className={styles.kind}>
            {kind === 'stylesheet' ? 'Stylesheet' : `Link: ${rel}`}
          </span>
        )}
        <span className={styles.host}>{parseAddress(address)?.hostname}</span>
      </div>
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
      {hasPackage && (
        <div className={styles.package}>
          <Button size="small" onClick={onPackage}>
            Use package instead
          </Button>
        </div>
      )}
    </li>
  );
}

/** Last part of the URL's path: "bootstrap.min.css"; or its host. */
function nameOf({ address }: PageResource): string {
  const url = parseAddress(address);
  if (!url) return address;
  return url.pathname.split('/').findLast((part) => part !== '') ?? url.hostname;
}
