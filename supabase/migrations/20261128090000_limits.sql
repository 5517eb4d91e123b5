-- Limits of what one account can store, send and compute.

-- Attempts per action and subject, by the minute. Rows that users can delete aren't counted: with the
-- trash emptied, or an invitation revoked, their limits would begin again.
create table private.attempts (
  -- A user's id, or the SHA-256 of an email address.
  subject text not null,
  action text not null,
  minute timestamptz not null,
  amount bigint not null,
  primary key (subject, action, minute)
);
create index attempts_minute on private.attempts (minute);
alter table private.attempts enable row level security;

-- All limits: `most` in any `period`. A test compares them with packages/project/src/limits.ts.
create function private.find_limit(action text, out most bigint, out period interval)
language sql immutable set search_path = '' as $$
  select l.most, l.period
  from (values
    ('create_project', 60, interval '1 hour'),
    ('create_version', 200, interval '1 hour'),
    ('create_collection', 60, interval '1 hour'),
    ('invite', 60, interval '1 hour'),
    -- Invitations that one user gets, and mails to one address, whoever sends them.
    ('invite_user', 50, interval '1 day'),
    ('mail_address', 10, interval '1 day'),
    -- Bytes of documents: states and updates.
    ('save', 536870912, interval '1 hour')
  ) l (action, most, period)
  where l.action = find_limit.action
$$;

-- Counts an attempt and returns true, or returns false at the limit. Has the rights of the schema's
-- owner, since nobody else may change a count.
create function private.count_attempt(action text, subject text, amount bigint default 1)
returns boolean
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  known constant record := private.find_limit(count_attempt.action);
  this_minute constant timestamptz := date_trunc('minute', now());
begin
  if known.most is null then
    raise exception 'there is no limit of %', count_attempt.action;
  end if;
  -- One at a time, so that each counts those before it.
  perform pg_advisory_xact_lock(
    hashtextextended('attempts ' || count_attempt.action || ' ' || count_attempt.subject, 0));
  if count_attempt.amount + (
    select coalesce(sum(a.amount), 0) from private.attempts a
    where a.subject = count_attempt.subject and a.action = count_attempt.action
      and a.minute >= this_minute - known.period
  ) > known.most then
    return false;
  end if;
  insert into private.attempts as a (subject, action, minute, amount)
    values (count_attempt.subject, count_attempt.action, this_minute, count_attempt.amount)
    on conflict (subject, action, minute) do update set amount = a.amount + excluded.amount;
  return true;
end
$$;

-- Counts an attempt, by default of the user asking, and refuses it at the limit.
create function private.limit_attempts(
  action text, subject text default private.person()::text, amount bigint default 1
) returns void
language plpgsql set search_path = '' as $$
begin
  if not private.count_attempt(action, subject, amount) then
    perform private.refuse(429, 'rate_limited', action);
  end if;
end
$$;

-- Removes counts that no limit looks at any more.
create function private.purge_attempts() returns void
language sql security definer set search_path = '' as $$
  delete from private.attempts where minute < now() - interval '25 hours'
$$;

-- Deletes at most `most` projects that have been in the trash for 30 days, and returns how many. One
-- that its owner is just restoring stays. Called every hour, by the server of an embedded database
-- and by pg_cron elsewhere. Purges attempts too.
create or replace function public.purge_trash(most int default 200) returns int
language sql set search_path = '' as $$
  select private.purge_attempts();
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

create function private.limit_array(list anyarray, most int) returns void
language plpgsql stable set search_path = '' as $$
begin
  if cardinality(list) > most then
    perform private.refuse(422, 'bad_request', 'an array has at most ' || most || ' elements');
  end if;
end
$$;

-- Saving

-- A document keeps all of its updates, so what a user may add is limited. Programs of the operator,
-- for which no user asks, are not.
create function private.limit_saves() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  bytes bigint;
begin
  if private.person() is null then
    return null;
  elsif tg_table_name = 'documents' then
    select sum(octet_length(a.state)) into bytes from added a;
  else
    select sum(octet_length(a.update)) into bytes from added a;
  end if;
  perform private.limit_attempts('save', amount => coalesce(bytes, 0));
  return null;
end
$$;
create trigger limit_saves after insert on public.documents
  referencing new table as added
  for each statement execute function private.limit_saves();
create trigger limit_saves after insert on public.document_updates
  referencing new table as added
  for each statement execute function private.limit_saves();

-- Returns `files`, at most as many as a project may have: each is looked up before it is stored.
create function private.limit_files(files jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(files) = 'array' and jsonb_array_length(files) > 200 then
    perform private.refuse(422, 'too_many_files', jsonb_array_length(files) || ' files');
  end if;
  return files;
end
$$;
create or replace function public.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb,
  format int default 1
) returns jsonb
language sql set search_path = '' as $$
  select private.append_updates(
    private.resolve_project(project), client, base, updates, private.limit_files(changed), removed,
    coalesce(format, 1))
$$;

-- Versions

-- Bytes of the texts of a project's versions, and 256 for each version and each of its files.
create table private.version_sizes (
  project_id uuid primary key references public.projects (id) on delete cascade,
  bytes bigint not null
);
alter table private.version_sizes enable row level security;
insert into private.version_sizes (project_id, bytes)
  select counted.project_id, sum(counted.bytes) from (
    select v.project_id, 256 as bytes from public.project_versions v
    union all select f.project_id, 256 from public.version_files f
    union all select c.project_id, octet_length(c.content) from public.version_contents c
  ) counted group by counted.project_id;

-- Adds to the size of a project's versions. Refuses more than 256 MiB in a project, and more than
-- 1 GiB in all projects of its owner. Has the rights of the schema's owner: an editor doesn't see the
-- owner's other projects.
create function private.add_version_size(project uuid, bytes bigint) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  in_project bigint;
  in_all bigint;
begin
  insert into private.version_sizes as s (project_id, bytes)
    values (project, add_version_size.bytes)
    on conflict (project_id) do update set bytes = s.bytes + excluded.bytes
    returning s.bytes into in_project;
  if in_project > 268435456 then
    perform private.refuse(422, 'versions_full', 'its versions have ' || in_project || ' bytes');
  end if;
  select sum(s.bytes) into in_all
    from public.projects p join private.version_sizes s on s.project_id = p.id
    where p.owner_id = (select o.owner_id from public.projects o where o.id = project);
  if in_all > 1073741824 then
    perform private.refuse(422, 'versions_full', 'versions of the owner have ' || in_all || ' bytes');
  end if;
end
$$;

-- As before, with the limits of size. At most 200 files are added or changed in a version, and as many
-- removed; all versions of a project have at most 2,000 paths, which each reader goes through.
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
  if (select count(*) from private.list_version_files(project, newest + 1)) > 2000 then
    perform private.refuse(422, 'versions_full', 'its versions have more than 2000 paths');
  end if;
  return jsonb_build_object('number', newest + 1, 'created', true);
end
$$;

-- Projects: with the limit of attempts, and without a version to fork that the user doesn't see.
create or replace function private.create_project(
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
  -- One at a time for each person: a retry must find what the first call is just making.
  perform pg_advisory_xact_lock(hashtextextended('create_project ' || person, 0));

  select p.id into made from public.projects p
    where p.owner_id = person and p.creation_key = create_project.id;
  if made is null then
    perform private.limit_attempts('create_project');
    perform private.limit_files(create_project.files);
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
        (select v.number from public.project_versions v
         where v.project_id = create_project.forked_from
           and v.number = create_project.forked_from_version)
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

-- Collections and lists

create or replace function private.create_collection(title text, visibility text, projects uuid[])
returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  me constant uuid := private.person();
  made record;
begin
  perform private.require_active();
  perform private.limit_attempts('create_collection');
  if not coalesce(private.is_title(create_collection.title), false) then
    perform private.refuse(422, 'title_required');
  end if;
  insert into public.collections as c (owner_id, title, visibility)
    values (me, create_collection.title, coalesce(create_collection.visibility, 'private'))
    returning c.id, c.slug into made;
  perform private.add_to_collection(made.id, coalesce(create_collection.projects, '{}'));
  return jsonb_build_object('id', made.id, 'slug', made.slug);
exception
  when check_violation then
    perform private.refuse(422, 'bad_request', sqlerrm);
end
$$;

create or replace function private.add_to_collection(collection uuid, projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  added int;
begin
  perform private.limit_array(projects, 500);
  perform private.lock_collection(collection);
  insert into public.collection_items (collection_id, project_id, position)
    select add_to_collection.collection, p.id, (
        select coalesce(max(i.position), 0) from public.collection_items i
        where i.collection_id = add_to_collection.collection
      ) + wanted.place
    from unnest(add_to_collection.projects) with ordinality wanted (id, place)
      join public.projects p on p.id = wanted.id
    on conflict do nothing;
  get diagnostics added = row_count;
  return added;
end
$$;

create or replace function private.remove_from_collection(collection uuid, projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  removed int;
begin
  perform private.limit_array(projects, 500);
  perform private.lock_collection(collection);
  delete from public.collection_items i
    where i.collection_id = remove_from_collection.collection
      and i.project_id = any (remove_from_collection.projects);
  get diagnostics removed = row_count;
  return removed;
end
$$;

create or replace function private.order_collection(collection uuid, projects uuid[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.limit_array(projects, 500);
  perform private.lock_collection(collection);
  update public.collection_items i set position = ordered.position
    from (
      select j.project_id, row_number() over (
          order by array_position(order_collection.projects, j.project_id) nulls last,
            j.position, j.project_id) as position
      from public.collection_items j where j.collection_id = order_collection.collection
    ) ordered
    where i.collection_id = order_collection.collection and i.project_id = ordered.project_id
      and i.position <> ordered.position;
end
$$;

create or replace function private.tag_projects(projects uuid[], added text[], removed text[]) returns uuid[]
language plpgsql security definer set search_path = '' as $$
declare
  own uuid[];
  changed uuid[];
begin
  perform private.require_active();
  perform private.limit_array(projects, 1000);
  perform private.limit_array(added, 100);
  perform private.limit_array(removed, 100);
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

create or replace function private.delete_trashed(projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  deleted int;
begin
  perform private.require_active();
  perform private.limit_array(projects, 1000);
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

-- As before, for at most 200 characters. Paths and code are searched in the latest 2,000 projects, up
-- to 50,000 files and 64 MiB, or 24 MiB if the phrase isn't ASCII, which takes longer.
create or replace function public.list_work(
  query text default '', scope text default 'own', visibility text default null,
  tag text default null, template boolean default null, sort text default 'updated',
  cursor text default null, backward boolean default false, page_size int default 24
) returns jsonb
language plpgsql stable set search_path = '' set jit = off as $$
#variable_conflict use_column
declare
  me constant uuid := private.person();
  most constant int := least(greatest(coalesce(page_size, 24), 1), 100);
  phrase constant text := private.trim(left(coalesce(query, ''), 200));
  folded constant text := lower(phrase collate pg_catalog."und-x-icu");
  is_ascii constant boolean := octet_length(phrase) = char_length(phrase);
  has_cursor constant boolean := coalesce(
    cursor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.]', false);
  at_id constant uuid := case when has_cursor then left(cursor, 36)::uuid end;
  at_key constant text := case when has_cursor then substr(cursor, 38) end;
  is_backward constant boolean := has_cursor and coalesce(list_work.backward, false);
  is_ascending constant boolean := (coalesce(sort, '') = 'title') <> is_backward;
  budget constant int := case when is_ascii then 67108864 else 25165824 end;
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
    select s.id, sum(text.bytes) over latest <= budget and sum(text.files) over latest <= 50000
        as is_searched
    from (select * from scoped order by updated_at desc, id limit 2000) s, lateral (
      select coalesce(sum(octet_length(f.content)), 0) as bytes, count(*) as files
      from public.project_files f where f.project_id = s.id
    ) text
    where phrase <> ''
    window latest as (order by s.updated_at desc, s.id)
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
        -- Not "and" and "or", from which the planner derives a condition on each file alone.
        where case when not z.is_searched then false
          when strpos(lower(f.path collate pg_catalog."und-x-icu"), folded) > 0 then true
          when is_ascii then
            strpos(lower(f.content collate pg_catalog."C"), lower(phrase collate pg_catalog."C")) > 0
          else strpos(lower(f.content collate pg_catalog."und-x-icu"), folded) > 0 end)
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
    'searched_all', phrase = '' or
      (select count(*) from scoped) = (select count(*) from sized z where z.is_searched),
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
        'match', case when s.id in (select z.id from sized z where z.is_searched)
          then private.find_match(s.id, phrase) end
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

create or replace function private.find_match(project uuid, phrase text) returns jsonb
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
      -- Evaluated once, wherever "at" is used.
      offset 0
    ) hit
    cross join lateral (select left(f.content, greatest(hit.at - 1, 0)) as text) before
  where f.project_id = project and (
    hit.at > 0
    or strpos(lower(f.path collate pg_catalog."und-x-icu"),
      lower(phrase collate pg_catalog."und-x-icu")) > 0)
  order by coalesce(hit.at, 0) = 0, f.path collate pg_catalog."C"
  limit 1
$$;

-- Invitations: `may_mail` says whether a mail may be sent to the address. An invitation that isn't
-- mailed stands, and its link can be sent by hand: a refusal would tell that others invite the
-- address, and let them keep it from being invited.
create or replace function private.invite_to_project(
  project uuid, role text, username text, email text, days int
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  person constant uuid := private.person();
  address constant text := lower(private.trim(email));
  name constant text := lower(private.trim(username));
  kind constant text :=
    case when name is not null then 'user' when address is not null then 'email' else 'link' end;
  token constant text := case when kind <> 'user' then private.new_token() end;
  invited public.profiles;
  held text;
  made public.invitations;
begin
  perform private.require_active();
  perform private.lock_people(project);
  perform private.open_people(project, true);
  if invite_to_project.role is null or invite_to_project.role not in ('viewer', 'editor', 'owner')
     or (invite_to_project.role = 'owner' and kind <> 'user')
     or (name is not null and address is not null)
     or days is null or days not between 1 and 30 then
    perform private.refuse(422, 'bad_request', 'a role, a user or an address, 1 to 30 days');
  end if;

  if kind = 'user' then
    select p.* into invited from public.profiles p where p.username = name;
    if invited.id is null then
      perform private.refuse(404, 'user_not_found');
    end if;
    select m.role into held from public.project_members m
      where m.project_id = project and m.user_id = invited.id;
    if invited.id = person then
      perform private.refuse(409, 'already_owner');
    elsif held = invite_to_project.role or (held = 'editor' and invite_to_project.role = 'viewer') then
      perform private.refuse(409, 'already_member');
    end if;
  elsif address = private.own_email(false) then
    perform private.refuse(409, 'already_owner');
  end if;

  perform private.limit_attempts('invite');
  if kind = 'user' then
    perform private.limit_attempts('invite_user', invited.id::text);
  end if;
  update public.invitations i set revoked_at = now(), email = null
    where i.project_id = project and private.is_pending(i)
      and case
        when invite_to_project.role = 'owner' then i.role = 'owner'
        else i.role <> 'owner' and (i.invited_user = invited.id or i.email = address)
      end;
  if invite_to_project.role <> 'owner' and held is null and (
    (select count(*) from public.project_members m where m.project_id = project)
    + (select count(*) from public.invitations i
       where i.project_id = project and i.role <> 'owner' and private.is_pending(i))
  ) >= 50 then
    perform private.refuse(422, 'too_many_members', '50 members and invitations');
  end if;
  delete from public.invitations i
    where i.project_id = project and i.expires_at < now() - interval '30 days';

  insert into public.invitations
    (project_id, kind, role, invited_user, email, token_hash, created_by, expires_at)
  values (
    project, kind, invite_to_project.role, invited.id, address,
    sha256(convert_to(token, 'UTF8')), person, now() + make_interval(days => days)
  ) returning * into made;
  return jsonb_build_object('id', made.id, 'kind', made.kind, 'role', made.role,
    'expires_at', made.expires_at, 'token', token, 'may_mail', kind = 'email'
      and private.count_attempt('mail_address', encode(sha256(convert_to(address, 'UTF8')), 'hex')));
exception
  when check_violation then
    perform private.refuse(422, 'email_invalid');
end
$$;

-- Storage

-- Each object counts as 4 KiB at least, and a user has at most 20,000: rows and files take room too.
-- `limits` in packages/project/src/limits.ts; a test compares them.
create or replace function private.count_asset_bytes(person uuid) returns bigint
language sql stable security definer set search_path = '' as $$
  select case when count(*) >= 20000 then greatest(sum(counted.bytes), private.asset_quota())
    else coalesce(sum(counted.bytes), 0) end::bigint
  from (
    select greatest((o.metadata ->> 'size')::bigint, 4096) as bytes
    from storage.objects o
    -- '0' is the character after '/'.
    where o.bucket_id = 'assets' and o.name collate "C" >= person || '/'
      and o.name collate "C" < person || '0'
  ) counted
$$;

create or replace function private.may_add_asset(object_name text, metadata jsonb) returns boolean
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
  ) or private.count_asset_bytes(person) + greatest(size, 4096) <= private.asset_quota();
end
$$;

-- Whether the user asking may add this picture: at most 20, since a page deletes the one it replaces.
create function private.may_add_avatar(object_name text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := private.person();
begin
  if person is null or private.active_role() is null
     or not starts_with(object_name, person || '/') then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('avatars ' || person, 0));
  return (
    select count(*) from storage.objects o
    where o.bucket_id = 'avatars' and o.name collate "C" >= person || '/'
      and o.name collate "C" < person || '0'
  ) < 20;
end
$$;
alter policy "people add pictures of their own" on storage.objects
  with check (
    bucket_id = 'avatars' and coalesce(user_metadata, '{}'::jsonb) = '{}'::jsonb
    and private.may_add_avatar(name)
  );

revoke execute on function
  private.find_limit(text), private.count_attempt(text, text, bigint),
  private.limit_attempts(text, text, bigint), private.purge_attempts(),
  private.limit_array(anyarray, int), private.limit_saves(), private.limit_files(jsonb),
  private.add_version_size(uuid, bigint), private.may_add_avatar(text)
  from public, anon, authenticated;
grant execute on function
  private.count_attempt(text, text, bigint), private.limit_attempts(text, text, bigint),
  private.limit_array(anyarray, int), private.add_version_size(uuid, bigint)
  to vitrine_writer;
grant execute on function private.purge_attempts() to service_role;
grant execute on function private.limit_files(jsonb) to authenticated, vitrine_writer;
grant execute on function private.may_add_avatar(text) to authenticated;
