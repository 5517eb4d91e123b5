-- Projects and the saved text of their files.
--
-- Who sees a project is decided here once, by the policies of `projects`; files follow by asking
-- whether the project is there for the one asking. A policy cannot see which question is asked,
-- so listings (tables) show strangers public projects only, and an unlisted one is read by its
-- slug through find_project and read_project, as the role whose policies add "unlisted".

-- Ten of a–z0–9. Even enough: four of the letters are drawn 8 times in 256, the others 7.
create function private.new_slug() returns text
language sql volatile set search_path = '' as $$
  select string_agg(
    substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + get_byte(noise.bytes, i) % 36, 1), '')
  from (select sha256(uuid_send(gen_random_uuid())) as bytes) noise, generate_series(0, 9) i
$$;

-- 1–120 characters that are not all spaces.
create function private.is_title(title text) returns boolean
language sql immutable set search_path = '' as $$
  select char_length(title) <= 120 and private.trim(title) <> ''
$$;

-- Whether a path can be kept: the rule of packages/project/src/paths.ts; a test compares them.
create function private.is_path(path text) returns boolean
language sql immutable set search_path = '' as $$
  select octet_length(path) between 1 and 255
    and path is nfc normalized
    and path !~ '[\u0001-\u001f\u007f\\]'
    and not exists (
      select from unnest(string_to_array(path, '/')) segment
      where segment in ('', '.', '..')
        or segment <> private.trim(segment)
        or starts_with(segment, '__vitrine')
    )
$$;

-- Paths that differ only in case are one file. The collation is named so that the answer does not
-- depend on how the database was made; the sigma is as in packages/project/src/paths.ts.
create function private.path_key(path text) returns text
language sql immutable set search_path = '' as $$
  select replace(lower(path collate pg_catalog."und-x-icu"), 'ς', 'σ')
$$;

create table public.projects (
  id uuid primary key,
  owner_id uuid not null references public.profiles (id) on delete cascade,
  slug text not null unique default private.new_slug() check (slug ~ '^[a-z0-9]{10}$'),
  revision bigint not null default 1,
  title text not null constraint title_required check (private.is_title(title)),
  description text not null default ''
    constraint description_too_long check (char_length(description) <= 5000),
  visibility text not null default 'private' check (visibility in ('private', 'unlisted', 'public')),
  is_template boolean not null default false,
  settings jsonb not null default '{}'
    constraint bad_request
    check (jsonb_typeof(settings) = 'object' and octet_length(settings::text) <= 16384),
  forked_from uuid references public.projects (id) on delete set null,
  -- Kept by triggers, written by no client.
  like_count int not null default 0,
  fork_count int not null default 0,
  comment_count int not null default 0,
  view_count int not null default 0,
  hidden_at timestamptz,
  trashed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  search tsvector not null generated always as (
    setweight(to_tsvector('pg_catalog.simple', title), 'A')
    || setweight(to_tsvector('pg_catalog.simple', description), 'B')
  ) stored
);
create index projects_owner on public.projects (owner_id, created_at);
create index projects_forked_from on public.projects (forked_from);
-- Used by queries that name the three conditions themselves; by others a policy's alternatives
-- stand in the way. `search` has no index for a like reason: `@@` is not leakproof, so under row
-- level security none would be used.
create index projects_newest on public.projects (created_at desc)
  where visibility = 'public' and trashed_at is null and hidden_at is null;

alter table public.projects enable row level security;
revoke all on public.projects from anon, authenticated;
grant select on public.projects to anon, authenticated, vitrine_writer;
grant update (title, description, visibility, settings, is_template, trashed_at)
  on public.projects to authenticated;
grant insert (id, owner_id, title, description, visibility, settings, forked_from)
  on public.projects to vitrine_writer;
grant update (revision, hidden_at) on public.projects to vitrine_writer;
grant all on public.projects to service_role;

create policy "everyone sees public projects" on public.projects
  for select to anon, authenticated, vitrine_writer
  using (visibility = 'public' and trashed_at is null and hidden_at is null);
create policy "people see their own projects" on public.projects
  for select to anon, authenticated, vitrine_writer
  using (owner_id = (select private.person()));
create policy "moderators see what they hid" on public.projects
  for select to authenticated, vitrine_writer
  using (
    (select private.active_role()) = 'moderator'
    and hidden_at is not null and visibility <> 'private' and trashed_at is null
  );
create policy "admins see every project" on public.projects
  for select to authenticated, vitrine_writer
  using ((select private.active_role()) = 'admin');
create policy "a link opens an unlisted project" on public.projects
  for select to vitrine_writer
  using (visibility = 'unlisted' and trashed_at is null and hidden_at is null);

create policy "owners and admins change a project" on public.projects
  for update to authenticated
  using (
    (owner_id = (select private.person()) and (select private.active_role()) is not null)
    or (select private.active_role()) = 'admin'
  )
  with check (
    (owner_id = (select private.person()) and (select private.active_role()) is not null)
    or (select private.active_role()) = 'admin'
  );
create policy "people make their own projects" on public.projects
  for insert to vitrine_writer
  with check (owner_id = (select private.person()) and (select private.active_role()) is not null);
create policy "owners save, moderators hide" on public.projects
  for update to vitrine_writer
  using (
    (owner_id = (select private.person()) and (select private.active_role()) is not null)
    or (select private.active_role()) in ('moderator', 'admin')
  )
  with check (
    (owner_id = (select private.person()) and (select private.active_role()) is not null)
    or (select private.active_role()) in ('moderator', 'admin')
  );

-- Whether the person asking has a part in the project, suspended or not.
create function private.works_on(project uuid) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.projects p where p.id = project and p.owner_id = private.person()
  )
$$;

create function private.may_edit(project uuid) returns boolean
language sql stable set search_path = '' as $$
  select private.works_on(project) and private.active_role() is not null
$$;

-- Refuses whoever may not edit the project, with the reason.
create function private.require_editor(project uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require_active();
  if not exists (select from public.projects p where p.id = project) then
    perform private.refuse(404, 'not_found_or_private');
  elsif not private.may_edit(project) then
    perform private.refuse(403, 'not_allowed');
  end if;
end
$$;

-- What a column grant cannot say: admins rename, publish and trash what others made but do not
-- edit it, and the trash counts its 30 days by our clock.
create function private.guard_project() returns trigger
language plpgsql set search_path = '' as $$
begin
  if current_user = 'authenticated' and old.owner_id is distinct from private.person()
     and (new.description, new.settings, new.is_template)
       is distinct from (old.description, old.settings, old.is_template) then
    perform private.refuse(403, 'not_allowed');
  end if;
  if new.trashed_at is not null then
    new.trashed_at := coalesce(old.trashed_at, now());
  end if;
  return new;
end
$$;
create trigger guard_project
  before update of description, settings, is_template, trashed_at on public.projects
  for each row execute function private.guard_project();
-- Named columns: being forked or liked is no change of the project.
create trigger touch
  before update of revision, title, description, visibility, settings, is_template, trashed_at
  on public.projects
  for each row execute function private.touch();

-- As the tables' owner, since the original belongs to someone else.
create function private.count_forks() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    update public.projects set fork_count = fork_count + 1 where id = new.forked_from;
  else
    update public.projects set fork_count = fork_count - 1 where id = old.forked_from;
  end if;
  return null;
end
$$;
create trigger count_fork after insert on public.projects
  for each row when (new.forked_from is not null) execute function private.count_forks();
create trigger uncount_fork after delete on public.projects
  for each row when (old.forked_from is not null) execute function private.count_forks();

create table public.project_files (
  project_id uuid not null references public.projects (id) on delete cascade,
  path text not null constraint invalid_path check (private.is_path(path)),
  content text not null constraint file_too_large check (octet_length(content) <= 1048576),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, path)
);
create unique index path_taken on public.project_files (project_id, private.path_key(path));

alter table public.project_files enable row level security;
revoke all on public.project_files from anon, authenticated;
grant select on public.project_files to anon, authenticated, vitrine_writer;
grant insert (project_id, path, content), update (content), delete
  on public.project_files to vitrine_writer;
grant all on public.project_files to service_role;
create policy "who sees a project sees its files" on public.project_files
  for select to anon, authenticated, vitrine_writer
  using (exists (select from public.projects p where p.id = project_id));
create policy "editors add files" on public.project_files
  for insert to vitrine_writer with check (private.may_edit(project_id));
create policy "editors change files" on public.project_files
  for update to vitrine_writer
  using (private.may_edit(project_id)) with check (private.may_edit(project_id));
create policy "editors remove files" on public.project_files
  for delete to vitrine_writer using (private.may_edit(project_id));
create trigger touch before update on public.project_files
  for each row execute function private.touch();

-- 200 files and 10 MiB of text a project, whoever writes. The sizes are read without the texts.
create function private.check_project_size() returns trigger
language plpgsql set search_path = '' as $$
declare
  most_files bigint;
  most_bytes bigint;
begin
  select max(size.files), max(size.bytes) into most_files, most_bytes from (
    select count(*) as files, sum(octet_length(f.content)) as bytes
    from public.project_files f
    where f.project_id in (select c.project_id from changed c)
    group by f.project_id
  ) size;
  if most_files > 200 then
    perform private.refuse(422, 'too_many_files', most_files || ' files');
  elsif most_bytes > 10485760 then
    perform private.refuse(422, 'project_too_large', most_bytes || ' bytes');
  end if;
  return null;
end
$$;
create trigger check_project_size_on_insert after insert on public.project_files
  referencing new table as changed
  for each statement execute function private.check_project_size();
create trigger check_project_size_on_update after update on public.project_files
  referencing new table as changed
  for each statement execute function private.check_project_size();

-- One project by its slug, for whoever may see it by link: null when there is none for them.
create function private.find_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug, 'revision', p.revision, 'title', p.title,
    'description', p.description, 'visibility', p.visibility, 'is_template', p.is_template,
    'settings', p.settings, 'like_count', p.like_count, 'fork_count', p.fork_count,
    'comment_count', p.comment_count, 'view_count', p.view_count,
    'hidden_at', p.hidden_at, 'trashed_at', p.trashed_at,
    'created_at', p.created_at, 'updated_at', p.updated_at,
    'may_edit', private.may_edit(p.id),
    'owner', jsonb_build_object(
      'id', o.id, 'username', o.username, 'display_name', o.display_name,
      'avatar_path', o.avatar_path),
    'forked_from', (
      select jsonb_build_object('id', f.id, 'slug', f.slug, 'title', f.title, 'username', fo.username)
      from public.projects f join public.profiles fo on fo.id = f.owner_id
      where f.id = p.forked_from
        -- An unlisted original stays known only to those who have its link.
        and (f.visibility = 'public' or f.owner_id = private.person())
    )
  )
  from public.projects p join public.profiles o on o.id = p.owner_id
  where p.slug = find_project.slug
$$;

-- The same with `files` [{ path, content }], all of one revision.
create function private.read_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select found.project || jsonb_build_object('files', coalesce((
    select jsonb_agg(jsonb_build_object('path', f.path, 'content', f.content)
      order by f.path collate "C")
    from public.project_files f where f.project_id = (found.project ->> 'id')::uuid
  ), '[]'::jsonb))
  from (select private.find_project(read_project.slug) as project) found
  where found.project is not null
$$;

create function public.find_project(slug text) returns jsonb
language sql stable set search_path = '' as $$ select private.find_project(slug) $$;
create function public.read_project(slug text) returns jsonb
language sql stable set search_path = '' as $$ select private.read_project(slug) $$;

grant create on schema private to vitrine_writer;
alter function private.find_project(text) owner to vitrine_writer;
alter function private.read_project(text) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.new_slug(), private.is_title(text), private.is_path(text), private.path_key(text),
  private.works_on(uuid), private.may_edit(uuid), private.require_editor(uuid), private.guard_project(),
  private.count_forks(), private.check_project_size(), private.find_project(text),
  private.read_project(text), public.find_project(text), public.read_project(text)
  from public, anon, authenticated;
grant execute on function private.new_slug(), private.is_path(text), private.path_key(text),
  private.require_editor(uuid) to service_role, vitrine_writer;
grant execute on function private.is_title(text), private.works_on(uuid), private.may_edit(uuid)
  to authenticated, service_role, vitrine_writer;
grant execute on function private.find_project(text), private.read_project(text),
  public.find_project(text), public.read_project(text) to anon, authenticated, service_role;
