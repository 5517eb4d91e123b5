import {
  findErrorCode,
  getTexts,
  isSlug,
  isVisibility,
  parseAssetRows,
  VitrineError,
  type AssetFile,
  type ProjectFile,
} from '@vitrine/project';
import { lockfilePath } from '../packages/project-manifest.ts';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import { parseVersion, type Version } from './history/versions.ts';
import type { ProjectIdentity, ProjectRole } from './sharing/identity.ts';

/** A saved project with its files. */
export interface FoundProject {
  readonly identity: ProjectIdentity;
  /** Texts of the text files. Pages of older builds read this too. */
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly assets: readonly (readonly [path: string, asset: AssetFile])[];
  /** Whether its owner lets others start from it, as a template. */
  readonly isTemplate: boolean;
}

/**
 * Finds a project by slug. Undefined if there is none or the user may not see it. Throws
 * `backend_unreachable`, and to the owner of a project in the trash `project_in_trash`.
 */
export async function findProject(
  requestInfo: RequestContext,
  slug: string,
): Promise<FoundProject | undefined> {
  if (!isSlug(slug)) return undefined;
  const { data, error } = await requestInfo.supabase.rpc('read_project', { slug });
  if (error) throw new VitrineError('backend_unreachable', error.message, { cause: error });
  const row = parseRecord(data);
  if (!row) return undefined;
  const identity = parseIdentity(row, requestInfo.claims?.sub);
  if (row.trashed_at !== null) {
    if (identity.role === 'owner') throw routeError('project_in_trash', identity.id);
    return undefined;
  }
  const found = {
    identity,
    files: parseFiles(row),
    assets: [...parseAssetRows(row.assets)],
    isTemplate: row.is_template === true,
  };
  registerPackages(requestInfo, found);
  return found;
}

/** A version of a project, with its files as entries: a loader's data has no maps. */
export interface FoundVersion {
  readonly identity: ProjectIdentity;
  readonly version: Omit<Version, 'files'> & {
    readonly files: readonly (readonly [path: string, file: ProjectFile])[];
  };
}

/** Finds a version with its project. Undefined if the user may not see it, or it's in the trash. */
export async function findVersion(
  requestInfo: RequestContext,
  slug: string,
  number: number,
): Promise<FoundVersion | undefined> {
  if (!isSlug(slug)) return undefined;
  const { data, error } = await requestInfo.supabase.rpc('read_version', { slug, number });
  if (error) throw new VitrineError('backend_unreachable', error.message, { cause: error });
  const version = parseVersion(data);
  const project = parseRecord(parseRecord(data)?.project);
  if (!version || !project || project.trashed_at !== null) return undefined;
  const identity = parseIdentity(project, requestInfo.claims?.sub);
  const files = [...version.files];
  const texts = [...getTexts(version.files)];
  registerPackages(requestInfo, {
    identity: { ...identity, revision: version.revision },
    files: texts,
  });
  return { identity, version: { ...version, files } };
}

/** Finds the project of a version that the user may see, without files. Undefined otherwise. */
export async function findVersionProject(
  { supabase, claims }: RequestContext,
  slug: string,
  number: number,
): Promise<ProjectIdentity | undefined> {
  if (!isSlug(slug)) return undefined;
  // Only what changed since the version itself: nothing.
  const { data, error } = await supabase.rpc('read_version', { slug, number, base: number });
  if (error) throw new VitrineError('backend_unreachable', error.message, { cause: error });
  const project = parseRecord(parseRecord(data)?.project);
  return project && project.trashed_at === null ? parseIdentity(project, claims?.sub) : undefined;
}

/**
 * Starts registering the project's packages. The page doesn't wait: it requests packages later than
 * this takes.
 */
function registerPackages(
  requestInfo: RequestContext,
  { identity, files }: Pick<FoundProject, 'identity' | 'files'>,
): void {
  const [, lockfile] = files.find(([path]) => path === lockfilePath) ?? [];
  if (lockfile !== undefined)
    void requestInfo.registerPackages(`${identity.id} ${identity.revision}`, lockfile);
}

/**
 * Loads a project's document, in the format of the database function `load_document`, so that the
 * page can open it without another request. Undefined if the user may not read it.
 */
export async function loadDocument(
  { supabase }: RequestContext,
  project: string,
): Promise<unknown> {
  const { data, error } = await supabase.rpc('load_document', { project, since: 0 });
  if (!error) return data;
  if (findErrorCode(error) === 'not_found_or_private') return undefined;
  throw new VitrineError('backend_unreachable', error.message, { cause: error });
}

type Row = Partial<Record<string, unknown>>;

function parseIdentity(row: Row, userId: string | undefined): ProjectIdentity {
  const { id, slug, title, revision, visibility, updated_at: updatedAt } = row;
  const owner = parseRecord(row.owner);
  if (
    typeof id !== 'string' ||
    typeof slug !== 'string' ||
    typeof title !== 'string' ||
    typeof revision !== 'number' ||
    typeof updatedAt !== 'string' ||
    typeof owner?.username !== 'string' ||
    !isVisibility(visibility)
  ) {
    throw new VitrineError('unexpected', 'read_project returned an unexpected value');
  }
  const original = parseOriginal(row);
  return {
    kind: 'project',
    id,
    slug,
    title,
    revision,
    publishedVersion: typeof row.published_version === 'number' ? row.published_version : null,
    updatedAt,
    visibility,
    owner: owner.username,
    ownerAvatarPath: typeof owner.avatar_path === 'string' ? owner.avatar_path : null,
    role: findRole(row, owner.id === userId),
    original,
  };
}

function findRole({ may_edit: mayEdit, works_on: worksOn }: Row, isOwner: boolean): ProjectRole {
  if (mayEdit === true) return isOwner ? 'owner' : 'editor';
  return worksOn === true ? 'viewer' : 'reader';
}

function parseFiles(row: Row): [string, string][] {
  const files: unknown[] = Array.isArray(row.files) ? row.files : [];
  return files.flatMap((file) => {
    const { path, content } = parseRecord(file) ?? {};
    return typeof path === 'string' && typeof content === 'string' ? [[path, content]] : [];
  });
}

function parseOriginal(row: Row): ProjectIdentity['original'] {
  const { slug, title, username } = parseRecord(row.forked_from) ?? {};
  const { forked_from_version: version } = row;
  if (typeof slug !== 'string' || typeof title !== 'string' || typeof username !== 'string') {
    return null;
  }
  return {
    address: `/@${username}/${slug}`,
    title,
    version: typeof version === 'number' ? version : null,
  };
}

function parseRecord(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}
