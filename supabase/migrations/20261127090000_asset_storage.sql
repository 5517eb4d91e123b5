-- Bytes of assets. They are objects `UPLOADER/HASH` of the private bucket `assets`: the uploader's id
-- and the SHA-256 of the bytes. Identical bytes are stored once for each uploader, and projects,
-- forks and versions refer to the same object. Not `HASH` alone: nothing on a hosted project compares
-- bytes with their name, so anyone could store others under the hash of somebody else's next file, or
-- find out whether somebody has a file.
--
-- Functions that read storage.objects have the rights of the migrations' owner: only that role and
-- the storage service see rows of others there on a hosted project.

-- The only type: whatever the bytes are, the storage service sends nothing that a browser would run.
-- The type of an asset is in its row of project_files, and previews send it.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('assets', 'assets', false, 10485760, array['application/octet-stream'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

alter table public.project_files
  -- Whose object has the bytes. No foreign key: forks keep their assets when the uploader's account
  -- is deleted. Null in rows made before this migration, whose bytes were never uploaded.
  add column uploader uuid,
  add check (uploader is null or hash is not null);
create index project_files_asset on public.project_files (hash) where hash is not null;
grant insert (uploader), update (uploader) on public.project_files to vitrine_writer;

-- Number of the version that a project was forked from; null for the working copy.
alter table public.projects add column forked_from_version int check (forked_from_version > 0);
grant insert (forked_from_version) on public.projects to vitrine_writer;

-- Assets that were removed from a project or replaced in it. Whoever works on the project may still
-- read them and add them again, as undo does: its document remembers them too.
create table private.removed_assets (
  project_id uuid not null references public.projects (id) on delete cascade,
  hash text not null,
  uploader uuid not null,
  size bigint not null,
  removed_at timestamptz not null default now(),
  primary key (project_id, hash, uploader)
);
create index removed_assets_hash on private.removed_assets (hash);
alter table private.removed_assets enable row level security;
grant select on private.removed_assets to vitrine_writer;
create policy "who works on a project sees its removed assets" on private.removed_assets
  for select to vitrine_writer using (private.works_on(project_id));

create function private.keep_removed_assets() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.removed_assets (project_id, hash, uploader, size)
    select distinct p.project_id, p.hash, p.uploader, p.size from previous p
    where p.uploader is not null
      -- The files of a deleted project are deleted after it.
      and exists (select from public.projects known where known.id = p.project_id)
      and not exists (
        select from public.project_files f
        where f.project_id = p.project_id and f.hash = p.hash and f.uploader = p.uploader
      )
    on conflict (project_id, hash, uploader) do update set removed_at = now();
  return null;
end
$$;
create trigger keep_removed_assets_on_delete after delete on public.project_files
  referencing old table as previous
  for each statement execute function private.keep_removed_assets();
create trigger keep_removed_assets_on_update after update on public.project_files
  referencing old table as previous
  for each statement execute function private.keep_removed_assets();

-- Objects that nothing referred to when `collect_assets` last looked. `claimed_at` is set when it
-- returned the object for deletion; the claim ends after ten minutes.
create table private.unreferenced_assets (
  -- Not the name: an object that is deleted and uploaded again is another one.
  object_id uuid primary key,
  since timestamptz not null default now(),
  claimed_at timestamptz
);
alter table private.unreferenced_assets enable row level security;

-- Whether a project that the current role sees refers to this object: as vitrine_writer, a project
-- that the person asking may open; as the owner, any.
create function private.is_asset_referenced(object_name text) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.project_files f
    where f.hash = right(object_name, 64) and f.uploader || '/' || f.hash = object_name
  )
$$;

-- Whether the person asking may read this object by its name. Lists and signed URLs are for the
-- uploader only: a list would tell everyone which assets the unlisted projects of a person have.
create function private.may_read_asset(object_name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(current_setting('storage.operation', true) in (
      'storage.object.get_authenticated', 'storage.object.get_authenticated_info',
      'storage.object.info_authenticated'), false)
    and (
      private.is_asset_referenced(object_name)
      or exists (
        select from private.removed_assets r
        where r.hash = right(object_name, 64) and r.uploader || '/' || r.hash = object_name
      )
    )
$$;

-- Bytes that one person may upload: `limits.userMaxAssetBytes` in packages/project/src/limits.ts; a
-- test compares them.
create function private.asset_quota() returns bigint
language sql immutable set search_path = '' as $$ select 1073741824::bigint $$;

create function private.count_asset_bytes(person uuid) returns bigint
language sql stable security definer set search_path = '' as $$
  select coalesce(sum((o.metadata ->> 'size')::bigint), 0)::bigint
  from storage.objects o
  -- '0' is the character after '/'.
  where o.bucket_id = 'assets' and o.name collate "C" >= person || '/'
    and o.name collate "C" < person || '0'
$$;

-- Whether the person asking may upload this object. The storage service asks before an upload with
-- the declared size, and the embedded one again with the size and checksum of what was uploaded.
create function private.may_add_asset(object_name text, metadata jsonb) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := private.person();
  size constant bigint :=
    coalesce((metadata ->> 'size')::bigint, (metadata ->> 'contentLength')::bigint, 0);
  etag constant text := coalesce(metadata ->> 'eTag', '');
begin
  if person is null or private.active_role() is null
     or object_name !~ ('^' || person || '/[0-9a-f]{64}$')
     -- Signed uploads, moves and copies have rights of their own later, or none to check.
     or current_setting('storage.operation', true) is distinct from 'storage.object.upload'
     -- The embedded storage service's ETag is the SHA-256 of the bytes; a hosted one's is an MD5.
     or (etag ~ '^"[0-9a-f]{64}"$' and etag <> '"' || right(object_name, 64) || '"') then
    return false;
  end if;
  -- One upload of a person at a time, so that each counts those before it.
  perform pg_advisory_xact_lock(hashtextextended('assets ' || person, 0));
  return exists (
    -- Refused as a duplicate.
    select from storage.objects o where o.bucket_id = 'assets' and o.name = object_name
  ) or private.count_asset_bytes(person) + size <= private.asset_quota();
end
$$;

create policy "people read assets of their own and of projects they see" on storage.objects
for select to anon, authenticated
using (
  bucket_id = 'assets'
  and (
    (storage.foldername(name))[1] = (select private.person())::text
    or private.may_read_asset(name)
  )
);

create policy "people add assets of their own" on storage.objects for insert to authenticated
with check (bucket_id = 'assets' and private.may_add_asset(name, metadata));

-- { used, quota } in bytes: what the person asking has uploaded, in projects or not, and may.
create function private.storage_usage() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'used', private.count_asset_bytes(private.person()), 'quota', private.asset_quota())
$$;
create function public.storage_usage() returns jsonb
language sql stable set search_path = '' as $$ select private.storage_usage() $$;

-- Whether this object exists with this size. If so, it isn't collected before the transaction has
-- committed a reference to it.
create function private.retain_asset(uploader uuid, hash text, size bigint) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  found_object uuid;
begin
  select o.id into found_object from storage.objects o
    where o.bucket_id = 'assets' and o.name = uploader || '/' || hash
      and (o.metadata ->> 'size')::bigint = retain_asset.size
    for key share;
  if found_object is null then
    return false;
  end if;
  delete from private.unreferenced_assets u
    where u.object_id = found_object
      and (u.claimed_at is null or u.claimed_at < now() - interval '10 minutes');
  return not exists (select from private.unreferenced_assets u where u.object_id = found_object);
end
$$;

-- Uploaders of the assets with this hash that a project has or had, as far as the person asking may
-- know; null for one whose bytes were never uploaded.
create function private.project_asset_uploaders(project uuid, hash text, size bigint)
returns setof uuid
language sql stable set search_path = '' as $$
  select f.uploader from public.project_files f
  where f.project_id = project and f.hash = project_asset_uploaders.hash
    and f.size = project_asset_uploaders.size
  union
  select r.uploader from private.removed_assets r
  where r.project_id = project and r.hash = project_asset_uploaders.hash
    and r.size = project_asset_uploaders.size
$$;

-- { hash: uploader } for the assets among files that are about to be saved in a project, or in a fork
-- of it: the person asking, if they have uploaded the bytes, else the uploader of the same asset in
-- this project, else in another one that they find or work on. An asset that the project already has
-- is taken without its bytes, so that it doesn't keep texts from being saved; any other is refused.
-- Leaves out what the constraints of project_files refuse.
create function private.resolve_assets(project uuid, files jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  person constant uuid := private.person();
  asset record;
  candidate uuid;
  chosen uuid;
  is_known boolean;
  resolved jsonb := '{}';
begin
  for asset in
    select min(f.path) as path, f.hash, f.size
    from jsonb_to_recordset(files) as f (path text, hash text, size bigint, media_type text)
    where f.hash ~ '^[0-9a-f]{64}$' and f.size between 0 and 10485760
      and private.is_asset_type(f.media_type)
    group by f.hash, f.size
  loop
    chosen := case when private.retain_asset(person, asset.hash, asset.size) then person end;
    is_known := false;
    if chosen is null then
      for candidate in
        select * from private.project_asset_uploaders(project, asset.hash, asset.size)
      loop
        is_known := true;
        if candidate <> person and private.retain_asset(candidate, asset.hash, asset.size) then
          chosen := candidate;
          exit;
        end if;
      end loop;
    end if;
    if chosen is null and not is_known then
      for candidate in
        select distinct f.uploader from (
          select f.uploader from public.project_files f
          join public.projects p on p.id = f.project_id
          where f.hash = asset.hash and f.size = asset.size and f.uploader is not null
            -- Else anyone could find out which files unlisted projects have.
            and (p.visibility = 'public' or private.works_on(p.id))
          limit 100
        ) f
      loop
        if private.retain_asset(candidate, asset.hash, asset.size) then
          chosen := candidate;
          exit;
        end if;
      end loop;
      if chosen is null then
        perform private.refuse(409, 'asset_missing', asset.path);
      end if;
    end if;
    if chosen is null then
      select u into chosen from private.project_asset_uploaders(project, asset.hash, asset.size) u
        order by u limit 1;
    end if;
    resolved := resolved || jsonb_build_object(asset.hash, chosen);
  end loop;
  return resolved;
end
$$;

-- The project's assets: [{ path, hash, size, media_type, uploader }].
create or replace function private.list_assets(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'path', f.path, 'hash', f.hash, 'size', f.size, 'media_type', f.media_type,
      'uploader', f.uploader
    ) order by f.path collate "C"), '[]'::jsonb)
  from public.project_files f where f.project_id = project and f.hash is not null
$$;
-- For those who follow a project: an update tells the hash of a new asset, and not whose it is.
create function public.list_assets(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select private.list_assets(private.resolve_project(project))
$$;

-- As before, with `uploader` of each asset, and `forked_from_version`.
drop function public.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid);
drop function private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid);

create function private.create_project(
  id uuid, title text, description text, visibility text, settings jsonb, files jsonb,
  state text, state_sha256 text, forked_from uuid, forked_from_version int
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  person constant uuid := private.person();
  violated text;
  made uuid;
  made_seq bigint;
  uploaders jsonb;
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
      insert into public.projects (
        creation_key, owner_id, title, description, visibility, settings, forked_from,
        forked_from_version
      ) values (
        create_project.id, person, coalesce(create_project.title, ''),
        coalesce(create_project.description, ''), coalesce(create_project.visibility, 'private'),
        coalesce(create_project.settings, '{}'), create_project.forked_from,
        case when create_project.forked_from is not null
          then create_project.forked_from_version end
      ) on conflict (slug) do nothing
      returning projects.id into made;
      exit when found;
    end loop;
    uploaders := private.resolve_assets(
      create_project.forked_from, coalesce(create_project.files, '[]'));
    insert into public.project_files (project_id, path, content, hash, size, media_type, uploader)
      select made, f.path, f.content, f.hash, f.size, f.media_type, (uploaders ->> f.hash)::uuid
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

create function public.create_project(
  id uuid, title text, description text, visibility text, settings jsonb, files jsonb,
  state text, state_sha256 text, forked_from uuid default null,
  forked_from_version int default null
) returns jsonb
language sql set search_path = '' as $$
  select private.create_project(
    id, title, description, visibility, settings, files, state, state_sha256, forked_from,
    forked_from_version)
$$;

-- As before, with `uploader` of each asset.
create or replace function private.append_updates(
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
  uploaders jsonb;
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

  -- Before files are removed: one that moves is removed and added.
  uploaders := private.resolve_assets(project, coalesce(changed, '[]'));
  delete from public.project_files f
    where f.project_id = project
      and f.path in (select jsonb_array_elements_text(coalesce(removed, '[]')));
  insert into public.project_files as f
      (project_id, path, content, hash, size, media_type, uploader)
    select project, c.path, c.content, c.hash, c.size, c.media_type, (uploaders ->> c.hash)::uuid
    from jsonb_to_recordset(coalesce(changed, '[]'))
      as c (path text, content text, hash text, size bigint, media_type text)
    on conflict (project_id, path) do update set (content, hash, size, media_type, uploader)
      = (excluded.content, excluded.hash, excluded.size, excluded.media_type, excluded.uploader);

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

-- Claims objects to delete and returns their names, at most 1000: those that nothing has referred to
-- for seven days, or with `account`, those in the folder of an account that is being deleted. The
-- caller deletes them through the storage service within ten minutes; after that the claim is void.
create function private.collect_assets(account uuid) returns setof text
language plpgsql security definer set search_path = '' as $$
declare
  due uuid[];
begin
  delete from private.unreferenced_assets u
    where not exists (select from storage.objects o where o.id = u.object_id);
  delete from private.unreferenced_assets u using storage.objects o
    where o.id = u.object_id and u.claimed_at is null and private.is_asset_referenced(o.name);
  insert into private.unreferenced_assets (object_id)
    select o.id from storage.objects o
    where o.bucket_id = 'assets' and not private.is_asset_referenced(o.name)
    on conflict (object_id) do nothing;

  select array_agg(u.object_id) into due from (
    select u.object_id
    from private.unreferenced_assets u join storage.objects o on o.id = u.object_id
    where (u.claimed_at is null or u.claimed_at < now() - interval '10 minutes')
      and case when account is null then u.since <= now() - interval '7 days'
        else starts_with(o.name, account || '/') and not exists (
          -- Others may undo the removal.
          select from private.removed_assets r
          where r.hash = right(o.name, 64) and r.uploader || '/' || r.hash = o.name
            and r.removed_at > now() - interval '7 days'
        ) end
    order by u.since, u.object_id limit 1000
  ) u;
  -- Waits for those who are just saving a reference (retain_asset). Those who come later wait here,
  -- and find the claim. The next statement sees what they have committed.
  perform from storage.objects o where o.id = any(due) order by o.id for update;
  return query
    update private.unreferenced_assets u set claimed_at = now()
      from storage.objects o
      where u.object_id = any(due) and o.id = u.object_id
        and not private.is_asset_referenced(o.name)
      returning o.name;
end
$$;
create function public.collect_assets(account uuid default null) returns setof text
language sql set search_path = '' as $$ select private.collect_assets(account) $$;

grant create on schema private to vitrine_writer;
alter function private.may_read_asset(text) owner to vitrine_writer;
alter function
  private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid, int)
  owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.keep_removed_assets(), private.is_asset_referenced(text), private.may_read_asset(text),
  private.asset_quota(), private.count_asset_bytes(uuid), private.may_add_asset(text, jsonb),
  private.storage_usage(), public.storage_usage(),
  private.retain_asset(uuid, text, bigint),
  private.project_asset_uploaders(uuid, text, bigint),
  private.resolve_assets(uuid, jsonb), public.list_assets(uuid),
  private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid, int),
  public.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid, int),
  private.collect_assets(uuid), public.collect_assets(uuid)
  from public, anon, authenticated;
grant execute on function
  private.is_asset_referenced(text), private.retain_asset(uuid, text, bigint),
  private.project_asset_uploaders(uuid, text, bigint), private.resolve_assets(uuid, jsonb)
  to vitrine_writer;
grant execute on function private.may_read_asset(text) to anon, authenticated;
grant execute on function
  private.may_add_asset(text, jsonb), private.storage_usage(), public.storage_usage(),
  public.list_assets(uuid),
  private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid, int),
  public.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid, int)
  to authenticated;
grant execute on function private.collect_assets(uuid), public.collect_assets(uuid)
  to service_role;
