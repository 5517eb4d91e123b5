-- Files of a project that aren't text. A row of project_files has either a text or the hash, size and
-- media type of an asset. Its bytes are stored apart from the database.

-- Media types of assets: the rule of packages/project/src/files.ts; a test compares them.
create function private.is_asset_type(media_type text) returns boolean
language sql immutable set search_path = '' as $$
  select media_type ~ '^((audio|font|image|model|text|video)/[a-z0-9][a-z0-9.+-]{0,79}|application/(json|octet-stream|wasm|[a-z0-9][a-z0-9.-]{0,59}[+]json))$'
$$;

alter table public.project_files
  alter column content drop not null,
  -- SHA-256 of the bytes in lower-case hex.
  add column hash text,
  add column size bigint constraint asset_too_large check (size <= 10485760),
  add column media_type text
    constraint asset_type_refused check (private.is_asset_type(media_type)),
  add constraint save_refused check (
    num_nonnulls(hash, size, media_type) = case when content is null then 3 else 0 end
    and hash ~ '^[0-9a-f]{64}$'
    and size >= 0
  );
grant insert (hash, size, media_type), update (hash, size, media_type)
  on public.project_files to vitrine_writer;

-- 200 files, 10 MiB of text and 100 MiB of assets a project, whoever writes. The sizes are read
-- without the texts.
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
  if most_files > 200 then
    perform private.refuse(422, 'too_many_files', most_files || ' files');
  elsif most_text > 10485760 then
    perform private.refuse(422, 'project_too_large', most_text || ' bytes');
  elsif most_assets > 104857600 then
    perform private.refuse(422, 'assets_too_large', most_assets || ' bytes');
  end if;
  return null;
end
$$;

-- The format that a client has to read to save a document: 1 for texts, 2 for assets too
-- (`documentFormat` in packages/project/src/document.ts). An older client doesn't see the assets, so
-- it would save files that don't match the document.
alter table public.documents add column format int not null default 1 check (format > 0);
grant insert (format), update (format) on public.documents to vitrine_writer;

create or replace function private.document_since(project uuid, since bigint) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'format', d.format,
    'seq', d.seq,
    'state', case when since < d.state_seq then private.to_base64(d.state) end,
    'state_seq', d.state_seq,
    'updates', coalesce((
      select jsonb_agg(jsonb_build_object(
        'seq', u.seq, 'update', private.to_base64(u.update), 'sha256', encode(u.sha256, 'hex')
      ) order by u.seq)
      from public.document_updates u
      where u.project_id = d.project_id and u.seq > greatest(since, d.state_seq)
    ), '[]'::jsonb)
  )
  from public.documents d where d.project_id = project
$$;

-- The project's assets: [{ path, hash, size, media_type }].
create function private.list_assets(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'path', f.path, 'hash', f.hash, 'size', f.size, 'media_type', f.media_type
    ) order by f.path collate "C"), '[]'::jsonb)
  from public.project_files f where f.project_id = project and f.hash is not null
$$;

-- With the assets as saved: a client that finds others in the document saves them again. They differ
-- after an older client has sent updates of a newer one from the same device.
create or replace function public.load_document(project uuid, since bigint default 0) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  found_project constant uuid := private.resolve_project(project);
  answer jsonb := private.document_since(found_project, coalesce(since, 0));
begin
  if answer is null then
    perform private.refuse(404, 'not_found_or_private');
  end if;
  return answer || jsonb_build_object('assets', private.list_assets(found_project));
end
$$;

-- `files` are the texts, as before, so that an older reader finds nothing that it doesn't know.
create or replace function private.read_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select found.project || jsonb_build_object(
    'files', coalesce((
      select jsonb_agg(jsonb_build_object('path', f.path, 'content', f.content)
        order by f.path collate "C")
      from public.project_files f
      where f.project_id = (found.project ->> 'id')::uuid and f.content is not null
    ), '[]'::jsonb),
    'assets', private.list_assets((found.project ->> 'id')::uuid))
  from (select private.find_project(read_project.slug) as project) found
  where found.project is not null
$$;

create or replace function private.refuse_violation(name text, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if name in ('path_taken', 'project_files_pkey') then
    perform private.refuse(409, 'path_taken');
  elsif name in ('title_required', 'description_too_long', 'invalid_path', 'file_too_large',
                 'project_too_large', 'asset_too_large', 'asset_type_refused', 'bad_request') then
    perform private.refuse(422, name);
  end if;
  perform private.refuse(422, 'save_refused', message);
end
$$;

-- As before, and `files` may have assets: [{ path, content } or { path, hash, size, media_type }].
create or replace function private.create_project(
  id uuid, title text, description text, visibility text, settings jsonb, files jsonb,
  state text, state_sha256 text, forked_from uuid
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  person constant uuid := private.person();
  violated text;
  made uuid;
  made_seq bigint;
begin
  perform private.require_active();
  if create_project.id is null then
    perform private.refuse(422, 'bad_request', 'id is the key of this attempt');
  end if;
  -- One at a time for each person: a retry must find what the first call is just making, and the
  -- hourly count must count it.
  perform pg_advisory_xact_lock(hashtextextended('create_project ' || person, 0));

  select p.id into made from public.projects p
    where p.owner_id = person and p.creation_key = create_project.id;
  if made is null then
    if (select count(*) from public.projects p
        where p.owner_id = person and p.created_at > now() - interval '1 hour') >= 60 then
      perform private.refuse(429, 'rate_limited', '60 new projects an hour');
    end if;
    if create_project.forked_from is not null and not exists (
      select from public.projects p where p.id = create_project.forked_from
    ) then
      perform private.refuse(404, 'not_found_or_private', 'the project to fork');
    end if;

    loop
      insert into public.projects
        (creation_key, owner_id, title, description, visibility, settings, forked_from)
      values (
        create_project.id, person, coalesce(create_project.title, ''),
        coalesce(create_project.description, ''), coalesce(create_project.visibility, 'private'),
        coalesce(create_project.settings, '{}'), create_project.forked_from
      ) on conflict (slug) do nothing
      returning projects.id into made;
      exit when found;
    end loop;
    insert into public.project_files (project_id, path, content, hash, size, media_type)
      select made, f.path, f.content, f.hash, f.size, f.media_type
      from jsonb_to_recordset(coalesce(create_project.files, '[]'))
        as f (path text, content text, hash text, size bigint, media_type text);
    insert into public.documents (project_id, state, state_sha256, format)
      select made, decode(create_project.state, 'base64'),
        decode(create_project.state_sha256, 'hex'),
        case when bool_or(f.hash is not null) then 2 else 1 end
      from public.project_files f where f.project_id = made;
  end if;

  select d.state_seq into made_seq from public.documents d
    where d.project_id = made and d.state_sha256 = decode(create_project.state_sha256, 'hex');
  return private.find_created_project(create_project.id) || jsonb_build_object('seq', made_seq);
exception
  when check_violation or unique_violation or not_null_violation then
    get stacked diagnostics violated = constraint_name;
    perform private.refuse_violation(violated, sqlerrm);
  when data_exception then
    perform private.refuse(422, 'save_refused', sqlerrm);
end
$$;

drop function public.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb);
drop function private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb);

-- Stores a client's updates and the files they changed: all of it, or nothing. `changed` has texts
-- and assets, as `files` of create_project. `format` is the newest document format that the client
-- reads; clients that read format 1 don't send it.
create function private.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb, format int
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  sent int;
  current_seq bigint;
  current_state_seq bigint;
  current_format int;
  current_revision bigint;
  first_sent bigint;
  last_sent bigint;
  last_known bigint;
  stored record;
  violated text;
begin
  perform private.require_editor(project);
  sent := jsonb_array_length(updates);
  if client is null or sent is null or sent not between 1 and 500 then
    perform private.refuse(422, 'save_refused', 'a call carries 1 to 500 updates');
  end if;
  select min(u.client_seq), max(u.client_seq) into first_sent, last_sent
    from jsonb_to_recordset(updates) as u (client_seq bigint);
  if (select count(distinct u.client_seq) from jsonb_to_recordset(updates) as u (client_seq bigint))
       <> sent or last_sent - first_sent + 1 <> sent then
    perform private.refuse(422, 'save_refused', 'the client_seq of a call are consecutive');
  end if;

  -- Everyone who writes to this document waits here. Person, project, document: the order in which
  -- accounts and projects are deleted, so that no two wait for each other.
  perform from public.profiles p where p.id = private.person() for key share;
  perform from public.projects p where p.id = project for no key update;
  select d.seq, d.state_seq, d.format into current_seq, current_state_seq, current_format
    from public.documents d where d.project_id = project for update;
  if not found then
    perform private.refuse(404, 'not_found_or_private');
  end if;

  select count(*) as updates, max(s.seq) as seq, max(s.revision) as revision,
      coalesce(bool_or(s.sha256 is distinct from decode(u.sha256, 'hex')), false) as differ
    into stored
    from jsonb_to_recordset(updates) as u (client_seq bigint, sha256 text)
    join public.document_updates s on s.project_id = project and s.client_id = client
      and s.client_seq = u.client_seq;
  if stored.differ then
    perform private.refuse(409, 'version_conflict', 'another update has this client_seq');
  elsif stored.updates = sent then
    -- The text that came along was not taken: what is stored may be of another moment.
    return jsonb_build_object(
      'status', 'saved', 'seq', stored.seq, 'revision', stored.revision, 'again', true);
  end if;

  if append_updates.format < current_format then
    -- Clients of format 1 have no message for `reload_required`. This one says that their work is on
    -- the device, where the page finds it after a reload, and offers to copy it.
    perform private.refuse(
      409,
      case append_updates.format when 1 then 'save_refused' else 'reload_required' end,
      'the document has format ' || current_format || '; reload the page');
  end if;

  if base > current_seq then
    -- Only after the database went back to a backup: the client must load and merge.
    perform private.refuse(409, 'version_conflict', 'the document is at ' || current_seq);
  elsif coalesce(base, 0) < current_state_seq or exists (
    select from public.document_updates u
    where u.project_id = project and u.seq > base
      and not (u.client_id = client and u.client_seq between first_sent and last_sent)
  ) then
    return private.document_since(project, coalesce(base, 0)) || '{"status": "behind"}';
  end if;

  -- A client may begin at any number, and counts by one from there: a hole would be an update
  -- that others wait for and that nobody has.
  select max(u.client_seq) into last_known
    from public.document_updates u where u.project_id = project and u.client_id = client;
  if first_sent + stored.updates <> last_known + 1 then
    perform private.refuse(409, 'version_conflict', 'the next client_seq is ' || last_known + 1);
  end if;

  update public.projects p set revision = p.revision + 1 where p.id = project
    returning p.revision into current_revision;
  insert into public.document_updates
      (project_id, seq, client_id, client_seq, update, sha256, author_id, revision)
    select project, current_seq + row_number() over (order by u.client_seq), client, u.client_seq,
      decode(u.update, 'base64'), decode(u.sha256, 'hex'), private.person(), current_revision
    from jsonb_to_recordset(updates) as u (client_seq bigint, update text, sha256 text)
    where last_known is null or u.client_seq > last_known;
  current_seq := current_seq + sent - stored.updates;

  delete from public.project_files f
    where f.project_id = project
      and f.path in (select jsonb_array_elements_text(coalesce(removed, '[]')));
  insert into public.project_files as f (project_id, path, content, hash, size, media_type)
    select project, c.path, c.content, c.hash, c.size, c.media_type
    from jsonb_to_recordset(coalesce(changed, '[]'))
      as c (path text, content text, hash text, size bigint, media_type text)
    on conflict (project_id, path) do update set (content, hash, size, media_type)
      = (excluded.content, excluded.hash, excluded.size, excluded.media_type);

  -- Stays at 2 when the last asset is removed: the document still has its entry.
  if current_format = 1 and exists (
    select from jsonb_to_recordset(coalesce(changed, '[]')) as c (hash text)
    where c.hash is not null
  ) then
    current_format := 2;
  end if;
  update public.documents d set seq = current_seq, format = current_format
    where d.project_id = project;
  return jsonb_build_object('status', 'saved', 'seq', current_seq, 'revision', current_revision);
exception
  when check_violation or unique_violation or not_null_violation then
    get stacked diagnostics violated = constraint_name;
    perform private.refuse_violation(violated, sqlerrm);
  when cardinality_violation then
    perform private.refuse(409, 'path_taken', 'a path is named twice');
  when data_exception then
    perform private.refuse(422, 'save_refused', sqlerrm);
end
$$;

create function public.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb,
  format int default 1
) returns jsonb
language sql set search_path = '' as $$
  select private.append_updates(
    private.resolve_project(project), client, base, updates, changed, removed,
    coalesce(format, 1))
$$;

grant create on schema private to vitrine_writer;
alter function private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb, int)
  owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.is_asset_type(text), private.list_assets(uuid),
  private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb, int),
  public.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb, int)
  from public, anon, authenticated;
grant execute on function private.is_asset_type(text) to service_role, vitrine_writer;
grant execute on function private.list_assets(uuid) to authenticated, vitrine_writer;
grant execute on function
  private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb, int),
  public.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb, int)
  to authenticated;
