import '@vitrine/editor/editor.css';
import type { Editor } from '@vitrine/editor';
import {
  findErrorCode,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import GitFork from 'lucide-react/icons/git-fork';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import {
  Link,
  redirect,
  useNavigate,
  useSearchParams,
  type ShouldRevalidateFunction,
} from 'react-router';
import { parsePreferencesCookie } from '../../preferences/device-preferences.ts';
import codeThemes from '../../preferences/code-themes.css?url';
import { getCodeStyle, type Preferences } from '../../preferences/preferences.ts';
import { createAssetLoader } from '../../assets/asset-loader.ts';
import { getPersonName } from '../../people/people.ts';
import { requestContext } from '../../request-context.ts';
import { saveParameter } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { useViewer } from '../../session/viewer.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { loadable } from '../../ui/loadable.tsx';
import { Logo } from '../../ui/page/logo.tsx';
import { routeError } from '../../ui/page/route-error.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showErrorToast } from '../../ui/toast.tsx';
import { findDocumentNonce } from '../bootstrap/document-nonce.ts';
import { AssetPane } from '../assets/asset-view.tsx';
import { findVersion } from '../find-project.server.ts';
import { createLocalDraft } from '../saving/drafts.ts';
import { getWorkspacePath, type ProjectIdentity } from '../sharing/identity.ts';
import { createInitialTabs } from '../tabs/tabs.ts';
import type { Route } from './+types/version-page';
import styles from './version-page.module.css';
import { VersionPreview } from './version-preview.tsx';
import type { Version } from './versions.ts';

export async function loader({ context, params, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { handle, slug, number } = params;
  const isVersion = handle.startsWith('@') && /^[1-9]\d{0,8}$/.test(number);
  const found = isVersion ? await findVersion(requestInfo, slug, Number(number)) : undefined;
  if (!found) throw routeError('not_found_or_private');
  const { identity } = found;
  if (handle !== `@${identity.owner}`)
    throw redirect(`${getWorkspacePath(identity)}/v/${number}${new URL(request.url).search}`);
  const cookies = request.headers.get('cookie') ?? '';
  const preferences = parsePreferencesCookie(cookies, requestInfo.claims?.sub ?? null);
  return { ...found, preferences };
}

/** Choosing another file only changes the search. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}) =>
  currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search
    ? false
    : defaultShouldRevalidate;

export const meta: Route.MetaFunction = ({ loaderData }) => {
  // An error page has its own title.
  if (!loaderData) return [];
  const { identity, version } = loaderData;
  const title = `Version ${version.number} of ${identity.title} by ${identity.owner} — Vitrine`;
  return [{ title }];
};

export { WorkspaceErrorBoundary as ErrorBoundary } from '../workspace-error-boundary.tsx';

const views = ['code', 'result'] as const;
type View = (typeof views)[number];
const viewLabels: Readonly<Record<View, string>> = { code: 'Code', result: 'Result' };

/** A version of a project: its files to read, and its result. */
export default function VersionPage({ loaderData }: Route.ComponentProps) {
  const { identity: project, preferences } = loaderData;
  const version: Version = useMemo(
    () => ({ ...loaderData.version, files: new Map(loaderData.version.files) }),
    [loaderData],
  );
  const page = usePageSettings();
  const userId = useViewer()?.id ?? null;
  const loadAsset = useMemo(
    () => createAssetLoader({ page, userId, files: version.files, project: project.id }),
    [page, userId, version, project],
  );
  const [view, setView] = useState<View>('code');
  return (
    <div className={styles.page} style={getCodeStyle(preferences)} data-view={view}>
      {preferences.codeTheme !== 'vitrine' && (
        <link rel="stylesheet" href={codeThemes} precedence="code" />
      )}
      <header className={styles.bar}>
        <Link to="/" className={styles.home} aria-label="Vitrine, home">
          <Logo size={16} />
        </Link>
        <h1 className={styles.title}>{project.title}</h1>
        <span className={styles.owner}>{project.owner}</span>
        <ViewTabs view={view} onChange={setView} />
        <DownloadButton project={project} version={version} loadAsset={loadAsset} />
        <ForkButton project={project} version={version} />
        <ButtonLink to={`${getWorkspacePath(project)}/history`} size="small" variant="quiet">
          History
        </ButtonLink>
      </header>
      <VersionNotice project={project} version={version} />
      <main className={styles.main}>
        <VersionCode
          files={version.files}
          address={`${getWorkspacePath(project)}/v/${version.number}`}
          {...{ loadAsset, preferences }}
        />
        <section aria-label="Result" className={styles.result}>
          <VersionPreview
            key={version.number}
            {...{ project, version, loadAsset }}
            title={`Result of version ${version.number}`}
          />
        </section>
      </main>
    </div>
  );
}

function VersionNotice({ project, version }: { project: ProjectIdentity; version: Version }) {
  const { number, message, author, createdAt } = version;
  return (
    <p className={styles.notice}>
      You’re viewing version {number}. <Link to={getWorkspacePath(project)}>View latest</Link>.
      <span className={styles.details}>
        {message !== '' && <q>{message}</q>} {author ? getPersonName(author) : 'Deleted account'} ·{' '}
        <RelativeTime at={createdAt} />
      </span>
    </p>
  );
}

const DownloadDialog = loadable(() => import('../../export/download-dialog.tsx'));

interface DownloadButtonProps {
  project: ProjectIdentity;
  version: Version;
  loadAsset: (asset: AssetFile) => Promise<Blob>;
}

function DownloadButton({ project, version, loadAsset }: DownloadButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const title = `${project.title} version ${version.number}`;
  return (
    <>
      <Button
        size="small"
        variant="quiet"
        onClick={() => {
          setOpened(true);
          setOpen(true);
        }}
      >
        Download
      </Button>
      {wasOpened && (
        <DownloadDialog
          open={isOpen}
          onClose={() => setOpen(false)}
          readProject={() => Promise.resolve({ title, files: version.files, loadAsset })}
        />
      )}
    </>
  );
}

function ForkButton({ project, version }: { project: ProjectIdentity; version: Version }) {
  const viewer = useViewer();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);

  async function fork(): Promise<void> {
    setBusy(true);
    try {
      const { id: forkedFrom, title } = project;
      const { number: forkedFromVersion, files } = version;
      const draft = { title, files, forkedFrom, forkedFromVersion };
      const id = await createLocalDraft(viewer?.id ?? null, draft);
      await navigate(`/draft/${id}${viewer ? `?${saveParameter}=private` : ''}`);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
    setBusy(false);
  }

  return (
    <Button
      size="small"
      icon={<GitFork aria-hidden />}
      className={styles.fork}
      busy={isBusy}
      onClick={() => void fork()}
    >
      Fork from here
    </Button>
  );
}

/** Tabs that switch between code and result on a phone, which shows one of them. */
function ViewTabs({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const list = useRef<HTMLDivElement>(null);

  function handleKey({ key }: KeyboardEvent): void {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
    const other = view === 'code' ? 'result' : 'code';
    onChange(other);
    list.current?.querySelector<HTMLElement>(`[data-value=${other}]`)?.focus();
  }

  return (
    <div ref={list} role="tablist" aria-label="View" className={styles.views}>
      {views.map((value) => (
        <button
          key={value}
          type="button"
          role="tab"
          data-value={value}
          aria-selected={view === value}
          tabIndex={view === value ? 0 : -1}
          className={styles.view}
          onKeyDown={handleKey}
          onClick={() => onChange(value)}
        >
          {viewLabels[value]}
        </button>
      ))}
    </div>
  );
}

/** Parameter of the page's URL: path of the file that is shown. */
const fileParameter = 'file';

interface VersionCodeProps {
  files: ProjectFiles;
  /** Path of this page. A file as it is, without a page around it, is below it. */
  address: string;
  loadAsset: (asset: AssetFile) => Promise<Blob>;
  preferences: Preferences;
}

/** The version's files as links, and the text of the chosen one. */
function VersionCode({ files, ...props }: VersionCodeProps) {
  const [search] = useSearchParams();
  const paths = [...files.keys()];
  const requested = search.get(fileParameter);
  const shown =
    requested !== null && files.has(requested) ? requested : createInitialTabs(paths).active?.path;
  const file = shown === undefined ? undefined : files.get(shown);
  return (
    <section aria-label="Code" className={styles.code}>
      <nav aria-label="Files" className={styles.files}>
        <ul>
          {paths.map((path) => (
            <li key={path}>
              <Link
                to={`?${new URLSearchParams({ [fileParameter]: path }).toString()}`}
                replace
                preventScrollReset
                aria-current={path === shown ? 'page' : undefined}
                className={styles.file}
              >
                {path}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {shown !== undefined && file ? (
        <FileContent key={shown} {...props} path={shown} file={file} />
      ) : (
        <p className={styles.empty}>This version has no files.</p>
      )}
    </section>
  );
}

interface FileContentProps extends Omit<VersionCodeProps, 'files'> {
  path: string;
  file: ProjectFile;
}

function FileContent({ path, file, address, loadAsset, preferences }: FileContentProps) {
  if (file.kind === 'asset')
    return (
      <AssetPane loadAsset={loadAsset} path={path} asset={file}>
        <a
          href={`${address}/${path.split('/').map(encodeURIComponent).join('/')}`}
          target="_blank"
          rel="noreferrer"
        >
          Open file
        </a>
      </AssetPane>
    );
  return <ReadOnlyText path={path} text={file.text} preferences={preferences} />;
}

interface ReadOnlyTextProps {
  path: string;
  text: string;
  preferences: Preferences;
}

/** Read-only editor. The server renders the plain text, which stays if the editor can't be loaded. */
function ReadOnlyText({ path, text, preferences }: ReadOnlyTextProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let isMounted = true;
    let editor: Editor | undefined;
    const open = async (element: HTMLElement) => {
      const load = () => import('@vitrine/editor');
      const { createEditor, loadLanguage } = await loadWithRetries(load);
      await loadWithRetries(() => loadLanguage(path));
      if (!isMounted) return;
      const nonce = findDocumentNonce();
      editor = createEditor({
        parent: element,
        path,
        content: text,
        ...(nonce !== undefined && { nonce }),
      });
      editor.setSettings(preferences);
      setOpen(true);
    };
    if (parent.current) open(parent.current).catch(() => undefined);
    return () => {
      isMounted = false;
      editor?.close();
    };
  }, [path, text, preferences]);
  const isPlain = preferences.codeTheme === 'vitrine';
  return (
    <div className={styles.text} data-code-theme={isPlain ? undefined : preferences.codeTheme}>
      {!isOpen && <pre className={styles.plain}>{text}</pre>}
      <div ref={parent} className={styles.editor} />
    </div>
  );
}
