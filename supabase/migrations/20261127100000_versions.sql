-- Versions: the files of a project as they were at one moment, numbered from 1 and never changed.
--
-- A version stores what differs from the one before it. version_files has a row for each file that was
-- added, changed or removed; version_contents has each text once a project, by its hash. The files of
-- version N are, for each path, the newest row up to N.
--
-- Members see all versions. Others see those that somebody named or published, and none after the
-- published one: an automatic version is a copy of unfinished work, which may have had a key in it for
-- a minute. None of the tables is granted to clients.

create table public.project_versions (
  project_id uuid not null references public.projects (id) on delete cascade,
  number int not null,
  reason text not null,
  message text not null default '',
  author_id uuid references public.profiles (id) on delete set null,
  -- The document and the project that the version is a copy of.
  seq bigint not null,
  revision bigint not null,
  -- Later than that of the version before: now() is when a transaction began, maybe to wait.
  created_at timestamptz not null default clock_timestamp(),
  -- When it was first published; the only column that is written later.
  published_at timestamptz,
  primary key (project_id, number),
  constraint bad_request check (
    number > 0
    and reason in ('named', 'restore', 'import', 'fork', 'pause', 'publish')
    and char_length(message) <= 200
  )
);
create index project_versions_author on public.project_versions (author_id, created_at);

create table public.version_contents (
  project_id uuid not null references public.projects (id) on delete cascade,
  -- SHA-256 of the text in UTF-8, in lower-case hex.
  hash text not null,
  content text not null,
  primary key (project_id, hash)
);

create table public.version_files (
  project_id uuid not null,
  number int not null,
  path text collate "C" not null,
  -- Of the text or the asset; null where the version removes the file.
  hash text,
  size bigint,
  -- Null for texts.
  media_type text,
  uploader uuid,
  primary key (project_id, path, number),
  foreign key (project_id, number)
    references public.project_versions (project_id, number) on delete cascade
);
create index version_files_version on public.version_files (project_id, number);
create index version_files_assets on public.version_files (hash, uploader)
  where media_type is not null;

alter table public.project_versions enable row level security;
alter table public.version_contents enable row level security;
alter table public.version_files enable row level security;
-- A hosted project grants everything on new tables to the service role.
revoke all on public.project_versions, public.version_contents, public.version_files
  from anon, authenticated, service_role;
grant select on public.project_versions, public.version_contents, public.version_files
  to vitrine_writer, service_role;
grant insert (project_id, number, reason, message, author_id, seq, revision),
  update (published_at) on public.project_versions to vitrine_writer;
grant insert on public.version_contents, public.version_files to vitrine_writer;

-- The version that others see instead of the files being edited.
alter table public.projects add column published_version int;
grant select (published_version) on public.projects to anon, authenticated;
grant update (published_version) on public.projects to vitrine_writer;

do $$
declare
  is_member constant text := $policy$
    exists (
      select from public.projects p
      where p.id = project_id and (
        p.owner_id = (select private.person())
        or p.id in (select m.project_id from public.project_members m
                    where m.user_id = (select private.person()))
      )
    )$policy$;
  may_edit constant text := $policy$
    (select private.active_role()) is not null and exists (
      select from public.projects p
      where p.id = project_id and (
        p.owner_id = (select private.person())
        or p.id in (select m.project_id from public.project_members m
                    where m.user_id = (select private.person()) and m.role = 'editor')
      )
    )$policy$;
  is_owner constant text := $policy$
    (select private.active_role()) is not null and exists (
      select from public.projects p
      where p.id = project_id and p.owner_id = (select private.person())
    )$policy$;
begin
  execute format('create policy "members see every version" on public.project_versions
    for select to vitrine_writer using (%s)', is_member);
  execute format('create policy "editors add versions in their own name" on public.project_versions
    for insert to vitrine_writer
    with check (author_id = (select private.person()) and %s)', may_edit);
  execute format('create policy "owners publish versions" on public.project_versions
    for update to vitrine_writer using (%1$s) with check (%1$s)', is_owner);
  execute format('create policy "editors add contents" on public.version_contents
    for insert to vitrine_writer with check (%s)', may_edit);
  execute format('create policy "editors add files to versions" on public.version_files
    for insert to vitrine_writer with check (%s)', may_edit);

  -- Others see the files of a project as it was published, if it was.
  execute 'alter policy "who sees a project sees its files" on public.project_files
    using (exists (
      select from public.projects p where p.id = project_id and p.published_version is null
    ))';
  execute format('create policy "members see the files they work on" on public.project_files
    for select to authenticated, vitrine_writer using (%s)', is_member);
end
$$;
create policy "others see named and published versions" on public.project_versions
  for select to vitrine_writer
  using (
    (reason = 'named' or published_at is not null)
    and exists (
      select from public.projects p
      where p.id = project_id and (p.published_version is null or number <= p.published_version)
    )
  );
create policy "who sees a project sees contents of its versions" on public.version_contents
  for select to vitrine_writer
  using (exists (select from public.projects p where p.id = project_id));
-- A file may come from a version that the reader does not see, if it is in a later one.
create policy "who sees a version sees its files" on public.version_files
  for select to vitrine_writer
  using (exists (
    select from public.project_versions v
    where v.project_id = version_files.project_id and v.number >= version_files.number
  ));

-- The newest row of each path up to a version, and the version it is from. Goes from path to path
-- by the index, so that a file with a thousand versions costs no more than one with two.
create function private.list_version_files(project uuid, version int)
returns table (path text, number int, hash text, size bigint, media_type text, uploader uuid)
language sql stable set search_path = '' as $$
  with recursive paths as (
    (select f.path from public.version_files f
     where f.project_id = list_version_files.project
     order by f.path limit 1)
    union all
    select (
      select f.path from public.version_files f
      where f.project_id = list_version_files.project and f.path > p.path
      order by f.path limit 1)
    from paths p where p.path is not null
  )
  select f.path, f.number, f.hash, f.size, f.media_type, f.uploader
  from paths p cross join lateral (
    select v.path, v.number, v.hash, v.size, v.media_type, v.uploader
    from public.version_files v
    where v.project_id = list_version_files.project and v.path = p.path and v.number <= version
    order by v.number desc limit 1
  ) f
$$;

-- What the files of a project have that version `base` does not: a row for each path that differs,
-- with the hash null for one that is gone.
create function private.find_unversioned(project uuid, base int)
returns table (path text, hash text, size bigint, media_type text, uploader uuid)
language sql stable set search_path = '' as $$
  select coalesce(f.path, b.path), f.hash, f.size, f.media_type, f.uploader
  from (
    select p.path, p.media_type, p.uploader, coalesce(p.size, octet_length(p.content)) as size,
      coalesce(p.hash, encode(sha256(convert_to(p.content, 'UTF8')), 'hex')) as hash
    from public.project_files p where p.project_id = project
  ) f
  full join (
    select l.path, l.hash, l.media_type, l.uploader
    from private.list_version_files(project, base) l where l.hash is not null
  ) b on b.path = f.path
  where (f.hash, f.media_type, f.uploader) is distinct from (b.hash, b.media_type, b.uploader)
$$;

-- Keeps the files as they are now as a version: { number, created }. A version that nobody asked for
-- is not made if nothing changed since the newest; `number` is that of the newest then.
create function private.create_version(project uuid, message text, reason text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  trimmed constant text := private.trim(coalesce(create_version.message, ''));
  current_seq bigint;
  current_revision bigint;
  newest int;
  changed jsonb;
begin
  perform private.require_editor(project);
  if char_length(trimmed) > 200 then
    perform private.refuse(422, 'bad_request', 'a message has at most 200 characters');
  elsif create_version.reason is null or create_version.reason
      not in ('named', 'restore', 'import', 'fork', 'pause', 'publish') then
    perform private.refuse(422, 'bad_request', 'there is no such reason');
  end if;

  -- In the order of append_updates. Nobody saves or makes another version meanwhile, so the files are
  -- those of the document at `current_seq`, and no number is left out.
  perform from public.profiles p where p.id = private.person() for key share;
  perform from public.projects p where p.id = project for no key update;
  select d.seq, p.revision into current_seq, current_revision
    from public.documents d join public.projects p on p.id = d.project_id
    where d.project_id = project for update of d;
  if not found then
    perform private.refuse(404, 'not_found_or_private');
  end if;

  select coalesce(max(v.number), 0) into newest
    from public.project_versions v where v.project_id = project;
  select jsonb_agg(to_jsonb(c)) into changed from private.find_unversioned(project, newest) c;
  if changed is null and newest > 0 and create_version.reason <> 'named' then
    return jsonb_build_object('number', newest, 'created', false);
  end if;
  if (select count(*) from public.project_versions v
      where v.author_id = private.person() and v.created_at > now() - interval '1 hour') >= 200 then
    perform private.refuse(429, 'rate_limited', '200 new versions an hour');
  end if;

  insert into public.project_versions
      (project_id, number, reason, message, author_id, seq, revision)
    values (project, newest + 1, create_version.reason, trimmed, private.person(), current_seq,
      current_revision);
  insert into public.version_files (project_id, number, path, hash, size, media_type, uploader)
    select project, newest + 1, c.path, c.hash, c.size, c.media_type, c.uploader
    from jsonb_to_recordset(changed)
      as c (path text, hash text, size bigint, media_type text, uploader uuid);
  insert into public.version_contents (project_id, hash, content)
    select project, c.hash, f.content
    from jsonb_to_recordset(changed) as c (path text, hash text)
    join public.project_files f on f.project_id = project and f.path = c.path
    where f.content is not null
    on conflict do nothing;
  return jsonb_build_object('number', newest + 1, 'created', true);
end
$$;

-- Shows others this version instead of the files being edited, or with null those files again.
create function private.publish_version(project uuid, number int) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.require_editor(project);
  if not exists (
    select from public.projects p where p.id = project and p.owner_id = private.person()
  ) then
    perform private.refuse(403, 'not_allowed');
  end if;
  perform from public.profiles p where p.id = private.person() for key share;
  perform from public.projects p where p.id = project for no key update;
  if publish_version.number is not null then
    update public.project_versions v set published_at = coalesce(v.published_at, now())
      where v.project_id = project and v.number = publish_version.number;
    if not found then
      perform private.refuse(404, 'not_found_or_private', 'there is no such version');
    end if;
  end if;
  update public.projects p set published_version = publish_version.number where p.id = project;
end
$$;

create function private.describe_author(author uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('username', a.username, 'display_name', a.display_name,
    'avatar_path', a.avatar_path)
  from public.profiles a where a.id = author
$$;

-- The versions that the person asking sees, the newest first, with what changed in each since the
-- one that they see before it.
create function private.list_versions(slug text, before int, count int) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'number', v.number, 'reason', v.reason, 'message', v.message, 'created_at', v.created_at,
      'published_at', v.published_at, 'author', private.describe_author(v.author_id),
      'changed', coalesce(c.changed, '[]'), 'changed_count', c.total
    ) order by v.number desc), '[]')
  from (
    select w.*, lead(w.number, 1, 0) over (order by w.number desc) as previous
    from (
      select v.project_id, v.number, v.reason, v.message, v.created_at, v.published_at, v.author_id
      from public.projects p join public.project_versions v on v.project_id = p.id
      where p.slug = list_versions.slug and (before is null or v.number < before)
      order by v.number desc
      limit least(greatest(list_versions.count, 1), 100) + 1
    ) w
    order by w.number desc
    limit least(greatest(list_versions.count, 1), 100)
  ) v
  cross join lateral (
    select count(*) as total, jsonb_agg(jsonb_build_object('path', d.path, 'kind', d.kind)
        order by d.path) filter (where d.place <= 20) as changed
    from (
      select now.path, row_number() over (order by now.path) as place,
        case when now.hash is null then 'removed' when was.hash is null then 'added'
          else 'changed' end as kind
      from (
        select distinct on (f.path) f.path, f.hash, f.media_type
        from public.version_files f
        where f.project_id = v.project_id and f.number > v.previous and f.number <= v.number
        order by f.path, f.number desc
      ) now
      left join lateral (
        select f.hash, f.media_type from public.version_files f
        where f.project_id = v.project_id and f.path = now.path and f.number <= v.previous
        order by f.number desc limit 1
      ) was on true
      where (now.hash, now.media_type) is distinct from (was.hash, was.media_type)
    ) d
  ) c
$$;

-- { files, assets } of a version, as read_project has them; with `base` only what changed since, and
-- the paths that are gone as `removed`.
create function private.read_version_files(project uuid, version int, base int) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'files', coalesce(jsonb_agg(
      jsonb_build_object('path', f.path, 'content', c.content) order by f.path collate "C"
    ) filter (where f.media_type is null), '[]'),
    'assets', coalesce(jsonb_agg(
      jsonb_build_object('path', f.path, 'hash', f.hash, 'size', f.size,
        'media_type', f.media_type, 'uploader', f.uploader) order by f.path collate "C"
    ) filter (where f.media_type is not null), '[]'))
    || case when base is null then '{}' else jsonb_build_object('removed', (
      select coalesce(jsonb_agg(b.path order by b.path collate "C"), '[]')
      from private.list_version_files(project, base) b
      left join private.list_version_files(project, version) n on n.path = b.path
      where b.hash is not null and n.hash is null
    )) end
  from private.list_version_files(project, version) f
  left join public.version_contents c
    on f.media_type is null and c.project_id = read_version_files.project and c.hash = f.hash
  where f.hash is not null and (base is null or f.number > base)
$$;

-- A version with its files and its project; null when there is none for the person asking.
create function private.read_version(slug text, number int, base int) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
      'project', found.project, 'number', v.number, 'reason', v.reason, 'message', v.message,
      'created_at', v.created_at, 'published_at', v.published_at, 'seq', v.seq,
      'revision', v.revision, 'author', private.describe_author(v.author_id))
    || private.read_version_files(v.project_id, v.number, base)
  from (select private.find_project(read_version.slug) as project) found
  join public.project_versions v
    on v.project_id = (found.project ->> 'id')::uuid and v.number = read_version.number
  where base is null or exists (
    select from public.project_versions b where b.project_id = v.project_id and b.number = base
  )
$$;

-- As before, with `role` in the project, `published_version` and `forked_from_version`. `revision` is
-- that of the files that the person asking reads: to others, of the published version.
create or replace function private.find_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug,
    'revision', coalesce(
      (select v.revision from public.project_versions v
       where v.project_id = p.id and v.number = p.published_version and asker.role is null),
      p.revision),
    'title', p.title,
    'description', p.description, 'visibility', p.visibility, 'is_template', p.is_template,
    'settings', p.settings, 'like_count', p.like_count, 'fork_count', p.fork_count,
    'comment_count', p.comment_count, 'view_count', p.view_count,
    'hidden_at', p.hidden_at, 'trashed_at', p.trashed_at,
    'created_at', p.created_at, 'updated_at', p.updated_at,
    'may_edit', private.may_edit(p.id), 'works_on', private.works_on(p.id),
    'role', asker.role, 'published_version', p.published_version,
    'owner', jsonb_build_object(
      'id', o.id, 'username', o.username, 'display_name', o.display_name,
      'avatar_path', o.avatar_path),
    'forked_from', original.project,
    'forked_from_version', case when original.project is not null then p.forked_from_version end
  )
  from public.projects p join public.profiles o on o.id = p.owner_id
  cross join lateral (
    select case when p.owner_id = private.person() then 'owner' else (
      select m.role from public.project_members m
      where m.project_id = p.id and m.user_id = private.person()
    ) end as role
  ) asker
  left join lateral (
    select jsonb_build_object('id', f.id, 'slug', f.slug, 'title', f.title, 'username', fo.username)
      as project
    from public.projects f join public.profiles fo on fo.id = f.owner_id
    where f.id = p.forked_from
      -- An unlisted original stays known only to those who have its link.
      and (f.visibility = 'public' or f.owner_id = private.person())
  ) original on true
  where p.slug = find_project.slug
$$;

-- As before; others read the published version, if there is one.
create or replace function private.read_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select found.project || case
    when found.project ->> 'role' is null and found.project ->> 'published_version' is not null
    then private.read_version_files((found.project ->> 'id')::uuid,
      (found.project ->> 'published_version')::int, null)
    else jsonb_build_object(
      'files', coalesce((
        select jsonb_agg(jsonb_build_object('path', f.path, 'content', f.content)
          order by f.path collate "C")
        from public.project_files f
        where f.project_id = (found.project ->> 'id')::uuid and f.content is not null
      ), '[]'::jsonb),
      'assets', private.list_assets((found.project ->> 'id')::uuid))
    end
  from (select private.find_project(read_project.slug) as project) found
  where found.project is not null
$$;

-- As before, and versions: their assets are kept, and may be read and added again.
create or replace function private.is_asset_referenced(object_name text) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.project_files f
    where f.hash = right(object_name, 64) and f.uploader || '/' || f.hash = object_name
  ) or exists (
    select from public.version_files f
    where f.hash = right(object_name, 64) and f.media_type is not null
      and f.uploader || '/' || f.hash = object_name
  )
$$;
create or replace function private.project_asset_uploaders(project uuid, hash text, size bigint)
returns setof uuid
language sql stable set search_path = '' as $$
  select f.uploader from public.project_files f
  where f.project_id = project and f.hash = project_asset_uploaders.hash
    and f.size = project_asset_uploaders.size
  union
  select f.uploader from public.version_files f
  where f.project_id = project and f.hash = project_asset_uploaders.hash
    and f.size = project_asset_uploaders.size and f.media_type is not null
  union
  select r.uploader from private.removed_assets r
  where r.project_id = project and r.hash = project_asset_uploaders.hash
    and r.size = project_asset_uploaders.size
$$;

create function public.create_version(
  project uuid, message text default '', reason text default 'named'
) returns jsonb
language sql set search_path = '' as $$ select private.create_version(project, message, reason) $$;
create function public.publish_version(project uuid, number int) returns void
language sql set search_path = '' as $$ select private.publish_version(project, number) $$;
create function public.list_versions(
  slug text, before int default null, count int default 20
) returns jsonb
language sql stable set search_path = '' as $$ select private.list_versions(slug, before, count) $$;
create function public.read_version(slug text, number int, base int default null) returns jsonb
language sql stable set search_path = '' as $$ select private.read_version(slug, number, base) $$;

grant create on schema private to vitrine_writer;
alter function private.create_version(uuid, text, text) owner to vitrine_writer;
alter function private.publish_version(uuid, int) owner to vitrine_writer;
alter function private.list_versions(text, int, int) owner to vitrine_writer;
alter function private.read_version(text, int, int) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.list_version_files(uuid, int), private.find_unversioned(uuid, int),
  private.describe_author(uuid), private.read_version_files(uuid, int, int),
  private.create_version(uuid, text, text), private.publish_version(uuid, int),
  private.list_versions(text, int, int), private.read_version(text, int, int),
  public.create_version(uuid, text, text), public.publish_version(uuid, int),
  public.list_versions(text, int, int), public.read_version(text, int, int)
  from public, anon, authenticated;
grant execute on function
  private.list_version_files(uuid, int), private.find_unversioned(uuid, int),
  private.describe_author(uuid), private.read_version_files(uuid, int, int)
  to vitrine_writer;
grant execute on function
  private.create_version(uuid, text, text), private.publish_version(uuid, int),
  public.create_version(uuid, text, text), public.publish_version(uuid, int)
  to authenticated;
grant execute on function
  private.list_versions(text, int, int), private.read_version(text, int, int),
  public.list_versions(text, int, int), public.read_version(text, int, int)
  to anon, authenticated, service_role;
