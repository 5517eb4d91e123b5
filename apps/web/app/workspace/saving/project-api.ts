import type { LoadDocument, NewProject, SendUpdates } from '@vitrine/collaboration';
import {
  VitrineError,
  findErrorCode,
  isErrorCode,
  isRecord,
  type Visibility,
} from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';

/** Properties of a new project besides its text. */
export interface ProjectDetails {
  readonly title: string;
  readonly visibility: Visibility;
  readonly forkedFrom: string | null;
  /** Number of the version it was forked from, if that was a version. */
  readonly forkedFromVersion: number | null;
}

/** Result of the database function `create_project`. */
export interface CreatedProject {
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
  /**
   * Null if an earlier call had already created the project with a different text. The document has
   * to be loaded then.
   */
  readonly seq: number | null;
  readonly username: string;
}

/** Why a version was saved. All but the first two are automatic. */
export const versionReasons = ['named', 'publish', 'restore', 'import', 'fork', 'pause'] as const;
export type VersionReason = (typeof versionReasons)[number];

/** Database calls of the workspace. Each rejects with a `VitrineError`. */
export interface ProjectApi {
  createProject(text: NewProject, details: ProjectDetails): Promise<CreatedProject>;
  rename(project: string, title: string): Promise<void>;
  setVisibility(project: string, visibility: Visibility): Promise<void>;
  /** True if the project is in the trash. False if the user may not see it. */
  isInTrash(project: string): Promise<boolean>;
  /** Restores a project from the trash. */
  restore(project: string): Promise<void>;
  /**
   * Saves the project's files, as the server has them, as a version. Resolves to its number; if an
   * automatic one would be the same as the newest version, to that one's.
   */
  createVersion(project: string, reason: VersionReason, message: string): Promise<number>;
  /** Path of the project that this user created from a draft, if any. */
  findProjectPath(draft: string): Promise<string | undefined>;
  readonly sendUpdates: SendUpdates;
  readonly loadDocument: LoadDocument;
}

/**
 * Creates the calls for the user of a client. The client is loaded on the first call. Row-level
 * security authorizes each call.
 */
export function createProjectApi(getClient: () => Promise<SupabaseClient>): ProjectApi {
  return {
    async createProject(text, { title, visibility, forkedFrom, forkedFromVersion }) {
      const supabase = await getClient();
      const response = await callDatabase(
        supabase.rpc('create_project', {
          ...text,
          title,
          description: '',
          visibility,
          settings: {},
          forked_from: forkedFrom,
          ...(forkedFromVersion !== null && { forked_from_version: forkedFromVersion }),
        }),
      );
      return parseCreated(response);
    },
    async rename(project, title) {
      const supabase = await getClient();
      await callDatabase(
        supabase.from('projects').update({ title }).eq('id', project).select('id').single(),
      );
    },
    async setVisibility(project, visibility) {
      const supabase = await getClient();
      await callDatabase(
        supabase.from('projects').update({ visibility }).eq('id', project).select('id').single(),
      );
    },
    async isInTrash(project) {
      const supabase = await getClient();
      const row = await callDatabase(
        supabase.from('projects').select('trashed_at').eq('id', project).maybeSingle(),
      );
      return (
        typeof row === 'object' && row !== null && 'trashed_at' in row && row.trashed_at !== null
      );
    },
    async restore(project) {
      const supabase = await getClient();
      await callDatabase(
        supabase
          .from('projects')
          .update({ trashed_at: null })
          .eq('id', project)
          .select('id')
          .single(),
      );
    },
    async createVersion(project, reason, message) {
      const supabase = await getClient();
      const answer = await callDatabase(
        supabase.rpc('create_version', { project, message, reason }),
      );
      if (isRecord(answer) && typeof answer.number === 'number') return answer.number;
      throw new VitrineError('unexpected', 'create_version returned an unexpected value');
    },
    async findProjectPath(draft) {
      if (!/^[0-9a-f]{32}$/.test(draft)) return undefined;
      const supabase = await getClient();
      return parseAddress(await callDatabase(supabase.rpc('find_created_project', { key: draft })));
    },
    async sendUpdates(updates, { owner, signal }) {
      const supabase = await getClient();
      await checkUser(supabase, owner);
      return await callDatabase(supabase.rpc('append_updates', { ...updates }).abortSignal(signal));
    },
    async loadDocument(project, since, { signal }) {
      const supabase = await getClient();
      return await callDatabase(
        supabase.rpc('load_document', { project, since }).abortSignal(signal),
      );
    },
  };
}

export interface RpcResponse {
  readonly data: unknown;
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly status: number;
}

/** Awaits a database call. Rejects with a `VitrineError`. */
export async function callDatabase(request: PromiseLike<RpcResponse>): Promise<unknown> {
  const { data, error, status } = await request;
  if (!error) return data;
  throw new VitrineError(toErrorCode(error, status), error.message, { cause: error });
}

function toErrorCode(error: NonNullable<RpcResponse['error']>, status: number) {
  if (isErrorCode(error.message)) return error.message;
  // The server is older than this page, and has no function with these parameters.
  if (error.code === 'PGRST202') return 'reload_required';
  // A failed fetch has status 0. The gateway responds with 502 to 504 when its database is down.
  if (status === 0) return 'server_unreachable';
  if (status >= 502) return 'backend_unreachable';
  if (status === 401) return 'session_expired';
  if (status === 403 || error.code === '42501') return 'not_allowed';
  if (status === 429) return 'rate_limited';
  return error.code === 'PGRST116' ? 'not_allowed' : findErrorCode(error);
}

/**
 * Rejects if the session has changed to another user in another tab, so that edits are never sent
 * under the wrong account.
 */
async function checkUser(supabase: SupabaseClient, owner: string): Promise<void> {
  const { data } = await supabase.auth.getSession();
  if (data.session?.user.id !== owner) throw new VitrineError('session_expired');
}

function parseCreated(response: unknown): CreatedProject {
  if (typeof response === 'object' && response !== null) {
    const { id, slug, revision, seq, username }: Partial<Record<keyof CreatedProject, unknown>> =
      response;
    if (
      typeof id === 'string' &&
      typeof slug === 'string' &&
      typeof revision === 'number' &&
      (typeof seq === 'number' || seq === null) &&
      typeof username === 'string'
    ) {
      return { id, slug, revision, seq, username };
    }
  }
  throw new VitrineError('unexpected', 'create_project returned an unexpected value');
}

function parseAddress(found: unknown): string | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const { slug, username }: { slug?: unknown; username?: unknown } = found;
  if (typeof slug !== 'string' || typeof username !== 'string') return undefined;
  return `/@${username}/${slug}`;
}
