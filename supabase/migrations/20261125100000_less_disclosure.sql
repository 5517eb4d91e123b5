-- Tells a reader less: roles and suspension of others, what a project was forked from, whether an id
-- is taken, and slugs that are hard to enumerate.

-- Role and suspension are for the person, moderators and admins. Column grants, since a policy
-- decides on rows only: a client that names either column, also in a filter, an order or an embed,
-- or asks for `*`, is refused with 42501, and realtime leaves them out of what it sends.
revoke select on public.profiles from anon, authenticated;
grant select (id, username, display_name, bio, website, avatar_path, created_at, updated_at)
  on public.profiles to anon, authenticated;

-- Runs as vitrine_writer, since policies call it as a client, who cannot read those columns.
create or replace function private.active_role() returns text
language sql stable security definer set search_path = '' as $$
  select p.role from public.profiles p where p.id = private.person() and p.suspended_at is null
$$;

-- { role, suspended_at } of a person, for themself, moderators and admins; null for everyone else.
create function private.account_status(person uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('role', p.role, 'suspended_at', p.suspended_at)
  from public.profiles p
  where p.id = account_status.person
    and (p.id = private.person() or private.active_role() in ('moderator', 'admin'))
$$;
create function public.account_status(person uuid) returns jsonb
language sql stable set search_path = '' as $$ select private.account_status(person) $$;

-- Sixteen of a–z0–9, about 82 bits. Slugs of ten, which were made before, stay.
create or replace function private.new_slug() returns text
language sql volatile set search_path = '' as $$
  select string_agg(
    substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + get_byte(noise.bytes, i) % 36, 1), '')
  from (select sha256(uuid_send(gen_random_uuid())) as bytes) noise, generate_series(0, 15) i
$$;
alter table public.projects drop constraint projects_slug_check;
alter table public.projects add check (slug ~ '^([a-z0-9]{10}|[a-z0-9]{16})$');

-- The database chooses the id. What the client sends names its attempt, so that a retry finds the
-- project of the first call; two people may send the same key and learn nothing of each other.
alter table public.projects alter column id set default gen_random_uuid();
alter table public.projects add column creation_key uuid;
update public.projects set creation_key = id;
alter table public.projects add unique (owner_id, creation_key);
revoke insert (id) on public.projects from vitrine_writer;
grant insert (creation_key) on public.projects to vitrine_writer;

-- `forked_from` may be the id of a project that the reader cannot see; find_project says what they
-- may know of it. `creation_key` is the id of a draft on its owner's device.
revoke select on public.projects from anon, authenticated;
grant select (
  id, owner_id, slug, revision, title, description, visibility, is_template, settings, like_count,
  fork_count, comment_count, view_count, hidden_at, trashed_at, created_at, updated_at, search
) on public.projects to anon, authenticated;

-- The project that the person asking made under this key: { id, slug, revision, username }, or null.
create function private.find_created_project(key uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug, 'revision', p.revision, 'username', o.username)
  from public.projects p join public.profiles o on o.id = p.owner_id
  where p.owner_id = private.person() and p.creation_key = key
$$;
create function public.find_created_project(key uuid) returns jsonb
language sql stable set search_path = '' as $$ select private.find_created_project(key) $$;

-- The id of the person's own project that was made under this key, else the argument itself. A page
-- loaded before this migration saves under the key, and so does what a device kept unsent since then.
create function private.resolve_project(id_or_key uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select coalesce(
    (select p.id from public.projects p
     where p.owner_id = private.person() and p.creation_key = id_or_key),
    id_or_key)
$$;

create or replace function public.load_document(project uuid, since bigint default 0) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  answer jsonb := private.document_since(private.resolve_project(project), coalesce(since, 0));
begin
  if answer is null then
    perform private.refuse(404, 'not_found_or_private');
  end if;
  return answer;
end
$$;

-- Makes the person asking the owner of a new project with these files and this document. `id` is the
-- key of this attempt. A call with a key that was used before answers with the project that is
-- there; `seq` is null where that one was made of another state.
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
    insert into public.project_files (project_id, path, content)
      select made, f.path, f.content
      from jsonb_to_recordset(coalesce(create_project.files, '[]')) as f (path text, content text);
    insert into public.documents (project_id, state, state_sha256)
      values (made, decode(create_project.state, 'base64'),
        decode(create_project.state_sha256, 'hex'));
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

create or replace function public.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb
) returns jsonb
language sql set search_path = '' as $$
  select private.append_updates(
    private.resolve_project(project), client, base, updates, changed, removed)
$$;

-- Names of pictures with ".", ".." or empty segments, which storage refuses from now on. No profile
-- shows one. A hosted project takes a delete only after this setting.
do $$
begin
  if exists (
    select from storage.objects where bucket_id = 'avatars' and name ~ '(^|/)[.]{0,2}(/|$)'
  ) then
    perform set_config('storage.allow_delete_query', 'true', true);
    delete from storage.objects where bucket_id = 'avatars' and name ~ '(^|/)[.]{0,2}(/|$)';
  end if;
end
$$;

grant create on schema private to vitrine_writer;
alter function private.active_role() owner to vitrine_writer;
alter function private.account_status(uuid) owner to vitrine_writer;
alter function private.find_created_project(uuid) owner to vitrine_writer;
alter function private.resolve_project(uuid) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.account_status(uuid), public.account_status(uuid),
  private.find_created_project(uuid), public.find_created_project(uuid),
  private.resolve_project(uuid)
  from public, anon, authenticated;
grant execute on function
  private.account_status(uuid), public.account_status(uuid),
  private.find_created_project(uuid), public.find_created_project(uuid),
  private.resolve_project(uuid)
  to authenticated;
