import {
  isRecord,
  isVisibility,
  limits,
  parseAssetRows,
  validatePath,
  VitrineError,
  type AssetFile,
  type Visibility,
} from '@vitrine/project';
import { listZipEntries, type ZipEntry } from '../../import/read-zip.ts';

/** What "Export my data" has saved of an account's work. Files are read when they are needed. */
export interface Archive {
  /** Id of the account in the instance that the archive is from. */
  readonly account: string;
  /** In the order of their creation. */
  readonly projects: readonly ArchivedProject[];
  readonly collections: readonly ArchivedCollection[];
}

export interface ArchivedProject {
  /** Id in the instance that the archive is from. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isTemplate: boolean;
  readonly isInTrash: boolean;
  readonly tags: readonly string[];
  readonly files: ArchivedFiles;
  /** Named and published versions, oldest first. */
  readonly versions: readonly ArchivedVersion[];
  /** The published one of `versions`. */
  readonly publishedVersion: ArchivedVersion | undefined;
}

interface ArchivedVersion {
  readonly message: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly files: ArchivedFiles;
}

/** Files by path. */
export type ArchivedFiles = ReadonlyMap<string, ArchivedFile>;

interface ArchivedFile {
  readonly entry: ZipEntry;
  /** Undefined for a text. */
  readonly asset: AssetFile | undefined;
}

export interface ArchivedCollection {
  /** Id in the instance that the archive is from. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  /** In the collection's order. Projects of others aren't in the archive. */
  readonly items: readonly { readonly project: string; readonly note: string }[];
  /** Id of the project whose picture is the cover. */
  readonly cover: string | undefined;
}

/** The largest JSON file of an archive lists a project's assets. */
const maxJsonBytes = 4 * 1024 * 1024;

/**
 * Reads the list of what is in an archive. Rejects with `archive_not_account` for another zip, with
 * `zip_damaged`, and as `listZipEntries` does.
 */
export async function readArchive(zip: Blob): Promise<Archive> {
  const entries = new Map((await listZipEntries(zip)).map((entry) => [entry.path, entry]));
  if (!isAccountArchive(entries.keys())) throw new VitrineError('archive_not_account');
  const account = requireRecord(await readJson(entries.get('account.json')), 'account.json');
  const folders = Map.groupBy(
    [...entries].filter(([path]) => path.startsWith('projects/')),
    ([path]) => path.split('/', 2).join('/'),
  );
  const projects: (ArchivedProject & { createdAt: string })[] = [];
  for (const [folder, inFolder] of folders)
    projects.push(await readProject(folder, new Map(inFolder)));
  return {
    account: requireId(account['id'], 'account.json'),
    projects: projects.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1)),
    collections: parseCollections(await readJson(entries.get('collections.json'))),
  };
}

/** Whether a zip with these paths is the archive of an account, rather than a project. */
export function isAccountArchive(paths: Iterable<string>): boolean {
  const found = new Set(paths);
  return found.has('account.json') && found.has('profile.json') && found.has('sessions.json');
}

/** Reads the content of a file. Rejects with `zip_damaged` if a text isn't one. */
export async function readContent({ entry, asset }: ArchivedFile): Promise<string | AssetFile> {
  if (asset) return asset;
  const bytes = await entry.read();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new VitrineError('zip_damaged', entry.path, { cause: error });
  }
}

async function readProject(folder: string, entries: ReadonlyMap<string, ZipEntry>) {
  const project = requireRecord(await readJson(entries.get(`${folder}/project.json`)), folder);
  const { title, description, visibility, settings, tags } = project;
  const versions = await readVersions(`${folder}/versions`, entries);
  const published = project['published_version'];
  return {
    id: requireId(project['id'], folder),
    title: typeof title === 'string' ? title : '',
    description: typeof description === 'string' ? description : '',
    visibility: isVisibility(visibility) ? visibility : 'private',
    settings: isRecord(settings) ? settings : {},
    isTemplate: project['is_template'] === true,
    isInTrash: typeof project['trashed_at'] === 'string',
    tags: Array.isArray(tags) ? tags.map(String) : [],
    createdAt: String(project['created_at']),
    files: listFiles(folder, entries, project['assets']),
    versions: versions.filter(({ isKept }) => isKept),
    publishedVersion: versions.find(({ number, isKept }) => isKept && number === published),
  };
}

/** Reads all versions in their order. Each lists only the files that it changed. */
async function readVersions(folder: string, entries: ReadonlyMap<string, ZipEntry>) {
  const byNumber = Map.groupBy(entries, ([path]) => {
    const number = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : '';
    return number && /^\d+$/.test(number) ? Number(number) : undefined;
  });
  const numbers = [...byNumber.keys()].filter((number) => number !== undefined);
  const versions: (ArchivedVersion & { number: number; isKept: boolean })[] = [];
  let files: ArchivedFiles = new Map();
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const own = `${folder}/${number}`;
    const inVersion = new Map(byNumber.get(number));
    const version = requireRecord(await readJson(inVersion.get(`${own}/version.json`)), own);
    const { message, removed } = version;
    const gone = new Set(Array.isArray(removed) ? removed.map(String) : []);
    files = new Map([
      ...[...files].filter(([path]) => !gone.has(path)),
      ...listFiles(own, inVersion, version['assets']),
    ]);
    if (files.size > limits.projectMaxFiles) throw new VitrineError('zip_damaged', own);
    versions.push({
      number,
      message: typeof message === 'string' ? message : '',
      createdAt: String(version['created_at']),
      isKept: version['reason'] === 'named' || typeof version['published_at'] === 'string',
      files,
    });
  }
  return versions;
}

/** Lists the files below FOLDER/files, of which the rows of a database table are assets. */
function listFiles(
  folder: string,
  entries: ReadonlyMap<string, ZipEntry>,
  rows: unknown,
): ArchivedFiles {
  const assets = parseAssetRows(rows);
  const start = `${folder}/files/`;
  const files = new Map<string, ArchivedFile>();
  for (const [name, entry] of entries) {
    const path = name.slice(start.length);
    if (!name.startsWith(start)) continue;
    if (entry.isLink || validatePath(path)) throw new VitrineError('zip_damaged', name);
    files.set(path, { entry, asset: withoutUploader(assets.get(path)) });
  }
  return files;
}

/** Users have other ids in another instance. */
function withoutUploader(asset: AssetFile | undefined): AssetFile | undefined {
  if (!asset) return undefined;
  const { uploader: _, ...own } = asset;
  return own;
}

function parseCollections(value: unknown): ArchivedCollection[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return rows.filter(isRecord).map((row) => {
    const { title, description, visibility, projects, cover_id: cover } = row;
    const items: readonly unknown[] = Array.isArray(projects) ? projects : [];
    return {
      id: requireId(row['id'], 'collections.json'),
      title: typeof title === 'string' ? title : '',
      description: typeof description === 'string' ? description : '',
      visibility: isVisibility(visibility) ? visibility : 'private',
      items: items.filter(isRecord).map((item) => ({
        project: String(item['project_id']),
        note: typeof item['note'] === 'string' ? item['note'] : '',
      })),
      cover: typeof cover === 'string' ? cover : undefined,
    };
  });
}

/** Throws `zip_damaged` for what isn't a UUID. Imports find what they have created by these ids. */
function requireId(value: unknown, what: string): string {
  if (typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(value))
    return value;
  throw new VitrineError('zip_damaged', `${what} has no id`);
}

function requireRecord(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw new VitrineError('zip_damaged', what);
  return value;
}

/** Undefined for a file that isn't there. */
async function readJson(entry: ZipEntry | undefined): Promise<unknown> {
  if (!entry) return undefined;
  if (entry.size > maxJsonBytes) throw new VitrineError('zip_damaged', entry.path);
  try {
    return JSON.parse(new TextDecoder().decode(await entry.read()));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new VitrineError('zip_damaged', entry.path, { cause: error });
  }
}
