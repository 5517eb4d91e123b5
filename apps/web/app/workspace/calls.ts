import type { LoadDocument, NewProject, SendUpdates } from '@vitrine/collaboration';
import { VitrineError, findErrorCode, isErrorCode, type Visibility } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';

/** What a project is beside its text, when it is made. */
export interface ProjectDetails {
  readonly title: string;
  readonly visibility: Visibility;
  readonly forkedFrom: string | null;
}

/** A project as `create_project` answers it. */
export interface CreatedProject {
  readonly id: string;
  readonly slug: string;
  readonly revision: number;
  /** Null where an earlier call had arrived, with another text: the document has to be loaded. */
  readonly seq: number | null;
  readonly username: string;
}

/** Everything the workspace asks of the database. Each rejects with a `VitrineError`. */
export interface Calls {
  create(text: NewProject, details: ProjectDetails): Promise<CreatedProject>;
  rename(project: string, title: string): Promise<void>;
  setVisibility(project: string, visibility: Visibility): Promise<void>;
  /** Where the project is that this person made of a draft, if they have. */
  findAddress(draft: string): Promise<string | undefined>;
  readonly send: SendUpdates;
  readonly load: LoadDocument;
}

/**
 * The calls as the person of a client, which is not loaded before one is made; row level security
 * decides on each.
 */
export function createCalls(client: () => Promise<SupabaseClient>): Calls {
  return {
    async create(text, { title, visibility, forkedFrom }) {
      const supabase = await client();
      const answer = await call(
        supabase.rpc('create_project', {
          ...text,
          title,
          description: '',
          visibility,
          settings: {},
          forked_from: forkedFrom,
        }),
      );
      return parseCreated(answer);
    },
    async rename(project, title) {
      const supabase = await client();
      await call(
        supabase.from('projects').update({ title }).eq('id', project).select('id').single(),
      );
    },
    async setVisibility(project, visibility) {
      const supabase = await client();
      await call(
        supabase.from('projects').update({ visibility }).eq('id', project).select('id').single(),
      );
    },
    async findAddress(draft) {
      if (!/^[0-9a-f]{32}$/.test(draft)) return undefined;
      const supabase = await client();
      return parseAddress(await call(supabase.rpc('find_created_project', { key: draft })));
    },
    async send(updates, { owner, signal }) {
      const supabase = await client();
      await checkPerson(supabase, owner);
      return await call(supabase.rpc('append_updates', { ...updates }).abortSignal(signal));
    },
    async load(project, since, { signal }) {
      const supabase = await client();
      return await call(supabase.rpc('load_document', { project, since }).abortSignal(signal));
    },
  };
}

interface Answer {
  readonly data: unknown;
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly status: number;
}

async function call(request: PromiseLike<Answer>): Promise<unknown> {
  const { data, error, status } = await request;
  if (!error) return data;
  throw new VitrineError(codeOf(error, status), error.message, { cause: error });
}

function codeOf(error: NonNullable<Answer['error']>, status: number) {
  if (isErrorCode(error.message)) return error.message;
  // A fetch that failed has no status; a gateway without its database answers 502 to 504.
  if (status === 0) return 'server_unreachable';
  if (status >= 502) return 'backend_unreachable';
  if (status === 401) return 'session_expired';
  if (status === 403 || error.code === '42501') return 'not_allowed';
  if (status === 429) return 'rate_limited';
  return error.code === 'PGRST116' ? 'not_allowed' : findErrorCode(error);
}

/** One person's edits are never sent as another's: the session may have changed in another tab. */
async function checkPerson(supabase: SupabaseClient, owner: string): Promise<void> {
  const { data } = await supabase.auth.getSession();
  if (data.session?.user.id !== owner) throw new VitrineError('session_expired');
}

function parseCreated(answer: unknown): CreatedProject {
  if (typeof answer === 'object' && answer !== null) {
    const { id, slug, revision, seq, username }: Partial<Record<keyof CreatedProject, unknown>> =
      answer;
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
  throw new VitrineError('unexpected', 'create_project answered in another shape');
}

function parseAddress(found: unknown): string | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const { slug, username }: { slug?: unknown; username?: unknown } = found;
  if (typeof slug !== 'string' || typeof username !== 'string') return undefined;
  return `/@${username}/${slug}`;
}
