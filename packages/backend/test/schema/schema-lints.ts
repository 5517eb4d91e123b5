import type { Sql, TransactionSql } from 'postgres';

/**
 * A mistake that is visible in the system catalogs. Each is a query for the names of its
 * occurrences.
 */
export interface Lint {
  readonly name: string;
  readonly find: string;
  /** Reviewed occurrences, with the reason why they may stay. */
  readonly reviewed: Readonly<Record<string, string>>;
  /** Statements that make the mistake, and what the lint must find then. */
  readonly planted: { readonly sql: string; readonly found: string };
}

/** Occurrences that a `Lint` finds beyond the reviewed ones. */
export async function findMistakes(sql: Sql | TransactionSql, lint: Lint): Promise<string[]> {
  const rows = await sql.unsafe<{ finding: string }[]>(
    `select distinct finding::text from (${lint.find}) as found (finding) order by 1`,
  );
  return rows.map((row) => row.finding).filter((finding) => !(finding in lint.reviewed));
}

const ours = `('public', 'private')`;
const withPolicies = `('public', 'storage', 'realtime')`;

export const lints: readonly Lint[] = [
  {
    name: 'a table of public without row level security',
    find: `select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`,
    reviewed: {},
    planted: { sql: 'create table public.diary (entry text)', found: 'diary' },
  },
  {
    name: 'a view that reads with its owner’s rights, or a relation that no policy can guard',
    find: `select relname from pg_class where relnamespace = 'public'::regnamespace and (
      relkind in ('m', 'f') or (relkind = 'v' and not coalesce(
        reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'],
        false)))`,
    reviewed: {},
    planted: {
      sql: 'create view public.everything as select * from public.projects',
      found: 'everything',
    },
  },
  {
    name: 'a policy that lets anyone write',
    find: `select tablename || ': ' || policyname from pg_policies where schemaname in ${ours}
      and cmd <> 'SELECT' and (qual = 'true' or with_check = 'true')`,
    reviewed: {},
    planted: {
      sql: 'create policy open on public.projects for update to authenticated using (true)',
      found: 'projects: open',
    },
  },
  {
    name: 'a policy or function that trusts what people write about themselves',
    find: `select policyname from pg_policies
        where schemaname in ${ours} and coalesce(qual, '') || coalesce(with_check, '') ~ 'user_metadata'
      union all select oid::regprocedure::text from pg_proc
        where pronamespace::regnamespace::text in ${ours} and prosrc ~ 'user_meta_?data'`,
    reviewed: {
      'private.create_profile()': 'takes the wished-for username from it, which is validated',
    },
    planted: {
      sql: `create policy boast on public.projects for select to authenticated
        using (auth.jwt() -> 'user_metadata' ->> 'role' = 'admin')`,
      found: 'boast',
    },
  },
  {
    name: 'a policy or function that takes the user from a token whose session may have ended',
    find: `select tablename || ': ' || policyname from pg_policies
        where schemaname in ${withPolicies}
          and coalesce(qual, '') || coalesce(with_check, '') ~ 'request\\.jwt|auth\\.(uid|jwt|role)'
      union all select oid::regprocedure::text from pg_proc
        where pronamespace::regnamespace::text in ${ours}
          and prosrc ~ 'request\\.jwt|auth\\.(uid|jwt|role)'`,
    reviewed: {
      'private.session_person(boolean)': 'looks the session up',
      'private.my_sessions()': 'marks the current one among those of private.person()',
    },
    planted: {
      sql: `create policy stale on public.projects for select to authenticated
        using (owner_id = auth.uid())`,
      found: 'projects: stale',
    },
  },
  {
    name: 'a policy that calls a function for each row instead of once',
    find: `select tablename || ': ' || policyname from pg_policies
      where schemaname in ${withPolicies} and regexp_replace(
        coalesce(qual, '') || coalesce(with_check, ''),
        'SELECT private\\.\\w+\\((private\\.\\w+\\(\\))?', '', 'g') ~ 'private\\.\\w+\\('`,
    reviewed: {
      'objects: people read assets of their own and of projects they see':
        'asked for one object by its name; answers at once where a list is read',
      'objects: people add assets of their own': 'asked for the one row that is added',
      'objects: people add pictures of their own': 'asked for the one row that is added',
      'objects: people read posters of projects they see':
        'asked for one object by its name; answers at once where a list is read',
      'objects: editors find the poster they replace': 'asked for the one row that is replaced',
      'objects: editors add a poster': 'asked for the one row that is added',
      'objects: editors replace a poster': 'asked for the one row that is replaced',
    },
    planted: {
      sql: `create policy slow on public.projects for select to authenticated
        using (owner_id = private.person())`,
      found: 'projects: slow',
    },
  },
  {
    name: 'a function without a search_path of its own',
    find: `select oid::regprocedure from pg_proc where pronamespace::regnamespace::text in ${ours}
      and not coalesce(proconfig @> array['search_path=""'], false)`,
    reviewed: {},
    planted: {
      sql: `create function private.loose() returns int language sql as 'select 1'`,
      found: 'private.loose()',
    },
  },
  {
    name: 'a definer function in the schema that clients reach',
    find: `select oid::regprocedure from pg_proc
      where pronamespace = 'public'::regnamespace and prosecdef`,
    reviewed: {},
    planted: {
      sql: `create function public.mighty() returns int language sql security definer
        set search_path = '' as 'select 1'`,
      found: 'mighty()',
    },
  },
  {
    name: 'a definer function with the rights of the schema’s owner',
    find: `select oid::regprocedure from pg_proc where pronamespace::regnamespace::text in ${ours}
      and prosecdef and proowner <> 'vitrine_writer'::regrole`,
    reviewed: {
      'private.create_profile()': 'runs at sign-up, before there is a person to ask',
      'private.count_forks()': 'a trigger that counts on someone else’s project',
      'private.session_person(boolean)':
        'only the owner reads auth.sessions; answers for the session asking',
      'private.my_sessions()':
        'only the owner reads auth.sessions; answers the asking person’s own',
      'private.end_session(uuid)':
        'only the owner writes auth.sessions; ends the asking person’s own',
      'private.keep_removed_assets()': 'a trigger that notes what left a project',
      'private.count_asset_bytes(uuid)':
        'only the owner reads storage.objects; called for the person asking',
      'private.storage_usage()': 'only the owner reads storage.objects; of the person asking',
      'private.may_add_asset(text,jsonb)':
        'only the owner reads storage.objects; for a policy, about the person asking',
      'private.retain_asset(uuid,text,bigint)':
        'only the owner locks rows of storage.objects; called by vitrine_writer alone',
      'private.collect_posters(uuid)': 'only the owner reads storage.objects; for the service role',
      'private.find_poster(uuid)':
        'only the owner reads storage.objects; for lists of projects that the person asking sees',
      'private.collect_assets(uuid)':
        'looks at all objects and projects; called by the service role alone',
      'private.own_email(boolean)':
        'only the owner reads auth.users; answers with the caller’s own',
      'private.announce_members()': 'a trigger that sends to the project’s private channel',
      'private.forget_invited()': 'a trigger that runs when the auth server deletes an account',
      'private.count_attempt(text,text,bigint)':
        'nobody else may change a count; called by functions only',
      'private.purge_attempts()': 'deletes counts that ended; called by the service role alone',
      'private.limit_saves()': 'a trigger that counts what a user saves',
      'private.add_version_size(uuid,bigint)':
        'an editor doesn’t see the owner’s other projects; called by vitrine_writer alone',
      'private.may_add_avatar(text)':
        'only the owner reads storage.objects; for a policy, about the person asking',
    },
    planted: {
      sql: `create function private.mighty() returns int language sql security definer
        set search_path = '' as 'select 1'`,
      found: 'private.mighty()',
    },
  },
  {
    name: 'a function that everyone may execute because nobody revoked it',
    find: `select p.oid::regprocedure from pg_proc p,
        aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
      where p.pronamespace::regnamespace::text in ${ours} and acl.grantee = 0
        and acl.privilege_type = 'EXECUTE' and p.prorettype <> 'trigger'::regtype`,
    reviewed: {},
    planted: {
      sql: `create function private.open_door() returns int language sql
        set search_path = '' as 'select 1'`,
      found: 'private.open_door()',
    },
  },
  {
    name: 'a right of visitors beyond reading',
    find: `select relname || ': ' || verb from pg_class,
        unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) verb
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        and case when verb in ('INSERT', 'UPDATE') then has_any_column_privilege('anon', oid, verb)
          else has_table_privilege('anon', oid, verb) end`,
    reviewed: {},
    planted: {
      sql: 'grant insert (title) on public.projects to anon',
      found: 'projects: INSERT',
    },
  },
  {
    name: 'a right of members to write a whole table',
    find: `select relname || ': ' || verb from pg_class,
        unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) verb
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        and has_table_privilege('authenticated', oid, verb)`,
    reviewed: {
      'collections: DELETE': 'owners delete a collection; the policy keeps it to their own',
      'deletions: DELETE': 'people keep their account after all; the policy keeps it to their own',
      'preferences: DELETE': 'people go back to the defaults; the policy keeps it to their own',
    },
    planted: { sql: 'grant update on public.profiles to authenticated', found: 'profiles: UPDATE' },
  },
  {
    name: 'a role that row level security does not hold',
    // Excludes the cluster's superuser (the first role) and the schema's owner.
    find: `select rolname from pg_roles where (rolsuper or rolbypassrls)
      and rolname not like 'pg\\_%' and oid <> 10 and rolname <> current_user`,
    reviewed: {
      service_role: 'as Supabase has it; its key is used in functions on the server only',
    },
    planted: { sql: 'alter role vitrine_writer bypassrls', found: 'vitrine_writer' },
  },
  {
    name: 'a table that row level security closes without a policy',
    find: `select relname from pg_class c where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not exists (select from pg_policy where polrelid = c.oid)`,
    reviewed: {},
    planted: {
      sql: `create table public.forgotten (id int);
        alter table public.forgotten enable row level security`,
      found: 'forgotten',
    },
  },
  {
    name: 'a foreign key without an index that begins with its columns',
    find: `select conrelid::regclass || ': ' || conname from pg_constraint c
      where contype = 'f' and connamespace = 'public'::regnamespace and not exists (
        select from pg_index i where i.indrelid = c.conrelid
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
    reviewed: {},
    planted: {
      sql: `create table public.slow (author uuid constraint author references public.profiles)`,
      found: 'slow: author',
    },
  },
];
