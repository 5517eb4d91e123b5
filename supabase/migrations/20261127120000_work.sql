-- Your work: tags, the list of a user's projects, and the trash.

-- A tag has 1–30 of a–z, 0–9, "-", "+", "." and "#": the rule of packages/project/src/validation.ts.
create function private.is_tag(tag text) returns boolean
language sql immutable set search_path = '' as $$
  select tag ~ '^[a-z0-9+.#-]{1,30}$'
$$;

create table public.project_tags (
  project_id uuid not null references public.projects (id) on delete cascade,
  tag text not null constraint invalid_tag check (private.is_tag(tag)),
  created_at timestamptz not null default now(),
  primary key (project_id, tag)
);

alter table public.project_tags enable row level security;
revoke all on public.project_tags from anon, authenticated;
grant select on public.project_tags to anon, authenticated, vitrine_writer;
grant insert (project_id, tag), delete on public.project_tags to vitrine_writer;
grant all on public.project_tags to service_role;
create policy "who sees a project sees its tags" on public.project_tags
  for select to anon, authenticated, vitrine_writer
  using (exists (select from public.projects p where p.id = project_id));
create policy "owners add tags" on public.project_tags
  for insert to vitrine_writer
  with check (
    (select private.active_role()) is not null
    and exists (select from public.projects p
                where p.id = project_id and p.owner_id = (select private.person()))
  );
create policy "owners remove tags" on public.project_tags
  for delete to vitrine_writer
  using (
    (select private.active_role()) is not null
    and exists (select from public.projects p
                where p.id = project_id and p.owner_id = (select private.person()))
  );

-- Eight tags a project, whoever writes.
create function private.check_tag_count() returns trigger
language plpgsql set search_path = '' as $$
declare
  most bigint;
begin
  select max(total.tags) into most from (
    select count(*) as tags from public.project_tags t
    where t.project_id in (select c.project_id from changed c)
    group by t.project_id
  ) total;
  if most > 8 then
    perform private.refuse(422, 'too_many_tags', most || ' tags');
  end if;
  return null;
end
$$;
create trigger check_tag_count after insert on public.project_tags
  referencing new table as changed
  for each statement execute function private.check_tag_count();

-- Adds tags to the caller's own projects and removes others. Returns the ids of the projects that
-- changed; ids of other projects are ignored.
create function private.tag_projects(projects uuid[], added text[], removed text[]) returns uuid[]
language plpgsql security definer set search_path = '' as $$
declare
  own uuid[];
  changed uuid[];
begin
  perform private.require_active();
  if exists (select from unnest(added) wanted (tag)
             where wanted.tag is null or not private.is_tag(wanted.tag)) then
    perform private.refuse(422, 'invalid_tag');
  end if;
  -- Two calls for the same project must not add eight tags each.
  select array_agg(locked.id) into own from (
    select p.id from public.projects p
    where p.id = any (tag_projects.projects) and p.owner_id = private.person()
    order by p.id for no key update
  ) locked;
  if own is null then
    perform private.refuse(404, 'not_found_or_private');
  end if;
  with gone as (
    delete from public.project_tags t
    where t.project_id = any (own) and t.tag = any (coalesce(removed, '{}'))
    returning t.project_id
  )
  select array_agg(distinct gone.project_id) into changed from gone;
  with fresh as (
    insert into public.project_tags as t (project_id, tag)
    select project, wanted.tag from unnest(own) project, unnest(added) wanted (tag)
    on conflict do nothing
    returning t.project_id
  )
  select array_agg(distinct both_kinds.id) into changed from (
    select fresh.project_id as id from fresh union select unnest(changed)
  ) both_kinds;
  return coalesce(changed, '{}');
end
$$;
create function public.tag_projects(
  projects uuid[], added text[] default '{}', removed text[] default '{}'
) returns uuid[]
language sql set search_path = '' as $$
  select private.tag_projects(projects, added, removed)
$$;

-- The trash. Its index also finds what is due.
create index projects_trashed on public.projects (trashed_at) where trashed_at is not null;
grant delete on public.projects to vitrine_writer;
create policy "owners delete what is in their trash" on public.projects
  for delete to vitrine_writer
  using (
    owner_id = (select private.person()) and trashed_at is not null
    and (select private.active_role()) is not null
  );

-- Deletes projects in the caller's trash for good, at most 100: those with these ids, or the oldest if
-- `projects` is null. Returns how many.
create function private.delete_trashed(projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  deleted int;
begin
  perform private.require_active();
  delete from public.projects p
  where p.id in (
    select t.id from public.projects t
    where t.owner_id = private.person() and t.trashed_at is not null
      and (delete_trashed.projects is null or t.id = any (delete_trashed.projects))
    order by t.trashed_at, t.id limit 100
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
create function public.delete_trashed(projects uuid[]) returns int
language sql set search_path = '' as $$
  select private.delete_trashed(coalesce(projects, '{}'))
$$;
-- Repeated until it returns 0: one statement must not take longer than a request may.
create function public.empty_trash() returns int
language sql set search_path = '' as $$ select private.delete_trashed(null) $$;

-- Deletes at most `most` projects that have been in the trash for 30 days, and returns how many. One
-- that its owner is just restoring stays. Called every hour, by the server of an embedded database
-- and by pg_cron elsewhere.
create function public.purge_trash(most int default 200) returns int
language sql set search_path = '' as $$
  with due as (
    select p.id from public.projects p
    where p.trashed_at <= now() - interval '30 days'
    order by p.trashed_at limit most
    for update skip locked
  ), gone as (
    delete from public.projects p using due where p.id = due.id returning p.id
  )
  select count(*)::int from gone
$$;

-- On a hosted project with the extension. Where it is switched on later, docs/operations.md has the
-- statement.
do $$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    perform cron.schedule('purge_trash', '17 * * * *', 'select public.purge_trash(10000)');
  end if;
end
$$;

-- A page of the caller's projects, with what the page around it shows:
--   { total, searched_all, next, previous, counts { own, shared, trash }, tags [{ tag, count }],
--     projects [{ id, slug, title, visibility, is_template, created_at, updated_at, trashed_at,
--                 owner, role, tags [tag], excerpt { path, text } or null,
--                 match { path, line, text } or null }] }
--
-- `scope` is 'own', 'shared' or 'trash'. `query` is found in titles (every word), tags, paths and
-- code (as a phrase), without case. `sort` is 'updated', 'created' (latest first) or 'title'.
-- `next` and `previous` are cursors, null at the ends; `backward` reads the page before a cursor. A
-- cursor that leads nowhere gives the first page.
--
-- Code is searched by reading it: under row level security no trigram index would be used, and one
-- would be written again with every save. 64 MiB of the latest projects are read; `searched_all` is
-- false if there are more. The "C" collation compares ASCII letters without case five times as fast
-- as ICU does, so ICU is for other letters only. Without JIT, which takes longer than the search.
create function public.list_work(
  query text default '', scope text default 'own', visibility text default null,
  tag text default null, template boolean default null, sort text default 'updated',
  cursor text default null, backward boolean default false, page_size int default 24
) returns jsonb
language plpgsql stable set search_path = '' set jit = off as $$
#variable_conflict use_column
declare
  me constant uuid := private.person();
  most constant int := least(greatest(coalesce(page_size, 24), 1), 100);
  phrase constant text := private.trim(coalesce(query, ''));
  folded constant text := lower(phrase collate pg_catalog."und-x-icu");
  is_ascii constant boolean := octet_length(phrase) = char_length(phrase);
  has_cursor constant boolean := coalesce(
    cursor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.]', false);
  at_id constant uuid := case when has_cursor then left(cursor, 36)::uuid end;
  at_key constant text := case when has_cursor then substr(cursor, 38) end;
  is_backward constant boolean := has_cursor and coalesce(list_work.backward, false);
  is_ascending constant boolean := (coalesce(sort, '') = 'title') <> is_backward;
  shared uuid[];
  answer jsonb;
begin
  if me is null then
    perform private.refuse(401, 'session_expired');
  end if;
  select array_agg(m.project_id) into shared
    from public.project_members m where m.user_id = me;

  with scoped as materialized (
    select p.id, p.owner_id, p.slug, p.title, p.visibility, p.is_template,
      p.created_at, p.updated_at, p.trashed_at
    from public.projects p
    where (
        (list_work.scope <> 'shared' and p.owner_id = me
          and (p.trashed_at is not null) = (list_work.scope = 'trash'))
        or (list_work.scope = 'shared' and p.id = any (shared) and p.owner_id <> me
          and p.trashed_at is null)
      )
      and (list_work.visibility is null or p.visibility = list_work.visibility)
      and (list_work.template is null or p.is_template = list_work.template)
      and (list_work.tag is null or exists (
        select from public.project_tags t where t.project_id = p.id and t.tag = list_work.tag))
  ),
  sized as materialized (
    select s.id,
      sum(text.bytes) over (order by s.updated_at desc, s.id) - text.bytes < 67108864 as is_searched
    from scoped s, lateral (
      select coalesce(sum(octet_length(f.content)), 0) as bytes
      from public.project_files f where f.project_id = s.id
    ) text
    where phrase <> ''
  ),
  matches as materialized (
    select s.*, case list_work.sort
        when 'title' then lower(s.title collate pg_catalog."und-x-icu")
        when 'created' then to_char(s.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS')
        else to_char(
          coalesce(s.trashed_at, s.updated_at) at time zone 'UTC', 'YYYYMMDDHH24MISSUS')
      end as key
    from scoped s
    where phrase = ''
      or not exists (
        select from regexp_split_to_table(folded, '\s+') word
        where strpos(lower(s.title collate pg_catalog."und-x-icu"), word) = 0)
      or exists (
        select from public.project_tags t where t.project_id = s.id and t.tag = folded)
      or s.id in (
        select f.project_id from sized z join public.project_files f on f.project_id = z.id
        where strpos(lower(f.path collate pg_catalog."und-x-icu"), folded) > 0
          or (z.is_searched and case when is_ascii
            then strpos(lower(f.content collate pg_catalog."C"), lower(phrase collate pg_catalog."C"))
            else strpos(lower(f.content collate pg_catalog."und-x-icu"), folded) end > 0))
  ),
  page as materialized (
    select m.*, row_number() over (
        order by case when is_ascending then m.key end, case when is_ascending then m.id end,
          m.key desc, m.id desc) as nth
    from matches m
    where at_key is null or case when is_ascending
      then (m.key, m.id) > (at_key, at_id) else (m.key, m.id) < (at_key, at_id) end
    order by nth limit most + 1
  ),
  shown as materialized (
    select g.*, case when is_backward then -g.nth else g.nth end as place
    from page g where g.nth <= most
  )
  select jsonb_build_object(
    'total', (select count(*) from matches),
    'searched_all', coalesce((select bool_and(z.is_searched) from sized z), true),
    'next', case when is_backward or (select count(*) from page) > most
      then (select s.id || '.' || s.key from shown s order by s.place desc limit 1) end,
    'previous', case when has_cursor and (not is_backward or (select count(*) from page) > most)
      then (select s.id || '.' || s.key from shown s order by s.place limit 1) end,
    'projects', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', s.id, 'slug', s.slug, 'title', s.title, 'visibility', s.visibility,
        'is_template', s.is_template, 'created_at', s.created_at, 'updated_at', s.updated_at,
        'trashed_at', s.trashed_at,
        'owner', (select o.username from public.profiles o where o.id = s.owner_id),
        'role', case when s.owner_id = me then 'owner' else (
          select m.role from public.project_members m
          where m.project_id = s.id and m.user_id = me) end,
        'tags', coalesce((
          select jsonb_agg(t.tag order by t.tag collate pg_catalog."C")
          from public.project_tags t where t.project_id = s.id
        ), '[]'::jsonb),
        'excerpt', private.find_excerpt(s.id),
        'match', case when phrase <> '' then private.find_match(s.id, phrase) end
      ) order by s.place)
      from shown s
    ), '[]'::jsonb)
  ) into answer;

  if has_cursor and (jsonb_array_length(answer -> 'projects') = 0
                     or (is_backward and answer ->> 'previous' is null)) then
    return public.list_work(
      query, scope, visibility, tag, template, sort, page_size => page_size);
  end if;
  return answer || jsonb_build_object(
    'counts', (
      select jsonb_build_object(
        'own', count(*) filter (where p.trashed_at is null),
        'trash', count(*) filter (where p.trashed_at is not null),
        'shared', (select count(*) from public.projects q
                   where q.id = any (shared) and q.owner_id <> me and q.trashed_at is null))
      from public.projects p where p.owner_id = me),
    'tags', coalesce((
      select jsonb_agg(jsonb_build_object('tag', used.tag, 'count', used.projects)
        order by used.projects desc, used.tag collate pg_catalog."C")
      from (
        select t.tag, count(*) as projects
        from public.projects p join public.project_tags t on t.project_id = p.id
        where p.owner_id = me and p.trashed_at is null
        group by t.tag order by 2 desc, 1 limit 100
      ) used
    ), '[]'::jsonb));
end
$$;

-- The start of the file that tells a project from others best, for its card: a component, else a
-- script, a stylesheet, a page. Null if it has none of them.
create function private.find_excerpt(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('path', f.path, 'text', left(f.content, 600))
  from public.project_files f
  where f.project_id = project and f.content <> ''
    and f.path ~ '[.](jsx|tsx|vue|svelte|m?[jt]s|css|s[ac]ss|html?|md)$'
    and f.path !~ '[.](config|test|spec|d)[.]'
  order by case
      when f.path ~ '[.](jsx|tsx|vue|svelte)$' then 0
      when f.path ~ '[.]m?[jt]s$' then 1
      when f.path ~ '[.](css|s[ac]ss)$' then 2
      else 3
    end, octet_length(f.path), f.path collate pg_catalog."C"
  limit 1
$$;

-- Where list_work found a phrase in a project's files: { path, line, text }, with the line from 40
-- characters before it on. `line` and `text` are null if only the path has it.
create function private.find_match(project uuid, phrase text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('path', f.path,
    'line', case when hit.at > 0
      then 1 + char_length(before.text) - char_length(replace(before.text, E'\n', '')) end,
    'text', case when hit.at > 0
      then right(split_part(before.text, E'\n', -1), 40)
        || split_part(substr(f.content, hit.at, 160), E'\n', 1) end)
  from public.project_files f
    cross join lateral (
      select case when octet_length(phrase) = char_length(phrase)
        then strpos(lower(f.content collate pg_catalog."C"), lower(phrase collate pg_catalog."C"))
        else strpos(lower(f.content collate pg_catalog."und-x-icu"),
          lower(phrase collate pg_catalog."und-x-icu"))
      end as at
    ) hit
    cross join lateral (select left(f.content, greatest(hit.at - 1, 0)) as text) before
  where f.project_id = project and (
    hit.at > 0
    or strpos(lower(f.path collate pg_catalog."und-x-icu"),
      lower(phrase collate pg_catalog."und-x-icu")) > 0)
  order by coalesce(hit.at, 0) = 0, f.path collate pg_catalog."C"
  limit 1
$$;

grant create on schema private to vitrine_writer;
alter function private.tag_projects(uuid[], text[], text[]) owner to vitrine_writer;
alter function private.delete_trashed(uuid[]) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.is_tag(text), private.check_tag_count(),
  private.tag_projects(uuid[], text[], text[]), public.tag_projects(uuid[], text[], text[]),
  private.delete_trashed(uuid[]), public.delete_trashed(uuid[]), public.empty_trash(),
  public.purge_trash(int),
  public.list_work(text, text, text, text, boolean, text, text, boolean, int),
  private.find_excerpt(uuid), private.find_match(uuid, text)
  from public, anon, authenticated;
grant execute on function private.is_tag(text) to service_role, vitrine_writer;
grant execute on function
  private.tag_projects(uuid[], text[], text[]), public.tag_projects(uuid[], text[], text[]),
  private.delete_trashed(uuid[]), public.delete_trashed(uuid[]), public.empty_trash(),
  public.list_work(text, text, text, text, boolean, text, text, boolean, int),
  private.find_excerpt(uuid), private.find_match(uuid, text)
  to authenticated;
grant execute on function public.purge_trash(int) to service_role;
