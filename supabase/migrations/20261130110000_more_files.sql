-- Projects have up to 1,000 files, of 200 before, and their versions up to 10,000 paths, of 2,000.

create or replace function private.check_project_size() returns trigger
language plpgsql set search_path = '' as $$
declare
  most_files bigint;
  most_text bigint;
  most_assets bigint;
begin
  select max(total.files), max(total.text), max(total.assets)
    into most_files, most_text, most_assets
    from (
      select count(*) as files, sum(octet_length(f.content)) as text, sum(f.size) as assets
      from public.project_files f
      where f.project_id in (select c.project_id from changed c)
      group by f.project_id
    ) total;
  if most_files > 1000 then
    perform private.refuse(422, 'too_many_files', most_files || ' files');
  elsif most_text > 10485760 then
    perform private.refuse(422, 'project_too_large', most_text || ' bytes');
  elsif most_assets > 104857600 then
    perform private.refuse(422, 'assets_too_large', most_assets || ' bytes');
  end if;
  return null;
end
$$;

-- Returns `files`, at most as many as a project may have: each is looked up before it is stored.
create or replace function private.limit_files(files jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(files) = 'array' and jsonb_array_length(files) > 1000 then
    perform private.refuse(422, 'too_many_files', jsonb_array_length(files) || ' files');
  end if;
  return files;
end
$$;

-- As before, with 10,000 paths in all versions of a project.
create or replace function private.create_version(project uuid, message text, reason text) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  trimmed constant text := private.trim(coalesce(create_version.message, ''));
  current_seq bigint;
  current_revision bigint;
  newest int;
  changed jsonb;
  added bigint;
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
  perform private.limit_attempts('create_version');

  insert into public.project_versions
      (project_id, number, reason, message, author_id, seq, revision)
    values (project, newest + 1, create_version.reason, trimmed, private.person(), current_seq,
      current_revision);
  insert into public.version_files (project_id, number, path, hash, size, media_type, uploader)
    select project, newest + 1, c.path, c.hash, c.size, c.media_type, c.uploader
    from jsonb_to_recordset(changed)
      as c (path text, hash text, size bigint, media_type text, uploader uuid);
  with stored as (
    insert into public.version_contents (project_id, hash, content)
      select project, c.hash, f.content
      from jsonb_to_recordset(changed) as c (path text, hash text)
      join public.project_files f on f.project_id = project and f.path = c.path
      where f.content is not null
      on conflict do nothing
      returning octet_length(version_contents.content) as bytes
  )
  select coalesce(sum(stored.bytes), 0) into added from stored;
  perform private.add_version_size(
    project, added + 256 * (1 + coalesce(jsonb_array_length(changed), 0)));
  if (select count(*) from private.list_version_files(project, newest + 1)) > 10000 then
    perform private.refuse(422, 'versions_full', 'its versions have more than 10000 paths');
  end if;
  return jsonb_build_object('number', newest + 1, 'created', true);
end
$$;

-- As before, with each step reading one row of the primary key. While the table has no statistics, the
-- planner takes a project for a few rows: it read all of them at every step, by the index of versions,
-- which took seconds for 2,000 paths. A range of one path, in order, rules that index out.
create or replace function private.list_version_files(project uuid, version int)
returns table (path text, number int, hash text, size bigint, media_type text, uploader uuid)
language sql stable set search_path = '' set enable_sort = off set enable_seqscan = off as $$
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
    where v.project_id = list_version_files.project
      and v.path >= p.path and v.path <= p.path and v.number <= version
    order by v.path desc, v.number desc limit 1
  ) f
$$;
