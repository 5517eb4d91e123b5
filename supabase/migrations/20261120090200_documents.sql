-- The living text: one Yjs document a project, and every update that was ever acknowledged.
--
-- `seq` numbers what a document took in: its creation is 1, each update the next. `state` covers
-- everything up to `state_seq`. PostgreSQL never has to understand an update; it keeps them in
-- order, once each, with their checksums, and keeps `project_files` the text of the document at
-- `seq`: whoever sends updates sends the changed text in the same call, and is turned back to
-- merge first when others wrote meanwhile.

create table public.documents (
  project_id uuid primary key references public.projects (id) on delete cascade,
  state bytea not null constraint project_too_large check (octet_length(state) <= 16777216),
  state_sha256 bytea not null,
  state_seq bigint not null default 1,
  seq bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint save_refused check (octet_length(state) > 0 and state_sha256 = sha256(state))
);

create table public.document_updates (
  project_id uuid not null references public.documents (project_id) on delete cascade,
  seq bigint not null,
  client_id uuid not null,
  client_seq bigint not null,
  update bytea not null,
  sha256 bytea not null,
  author_id uuid references public.profiles (id) on delete set null,
  -- The project's revision that this update was saved with, so that a retry hears the same answer.
  revision bigint not null,
  created_at timestamptz not null default now(),
  primary key (project_id, seq),
  unique (project_id, client_id, client_seq),
  constraint save_refused check (
    client_seq > 0
    and octet_length(update) between 1 and 2097152
    and sha256 = pg_catalog.sha256(update)
  )
);
create index document_updates_author on public.document_updates (author_id);

alter table public.documents enable row level security;
alter table public.document_updates enable row level security;
revoke all on public.documents, public.document_updates from anon, authenticated;
grant select on public.documents, public.document_updates to authenticated, vitrine_writer;
grant insert (project_id, state, state_sha256), update (seq) on public.documents to vitrine_writer;
grant insert (project_id, seq, client_id, client_seq, update, sha256, author_id, revision)
  on public.document_updates to vitrine_writer;
grant all on public.documents, public.document_updates to service_role;

-- Not for everyone who sees the project: a document remembers what was deleted from it.
create policy "who works on a project reads its document" on public.documents
  for select to authenticated, vitrine_writer using (private.works_on(project_id));
create policy "editors start the document" on public.documents
  for insert to vitrine_writer with check (private.may_edit(project_id));
create policy "editors move the document on" on public.documents
  for update to vitrine_writer
  using (private.may_edit(project_id)) with check (private.may_edit(project_id));
create policy "who works on a project reads its updates" on public.document_updates
  for select to authenticated, vitrine_writer using (private.works_on(project_id));
create policy "editors add updates in their own name" on public.document_updates
  for insert to vitrine_writer
  with check (author_id = (select private.person()) and private.may_edit(project_id));
-- Locks need a policy to change what they lock; this one lets nothing be changed.
create policy "people hold their own profile while they save" on public.profiles
  for update to vitrine_writer using (id = (select private.person())) with check (false);
create trigger touch before update on public.documents
  for each row execute function private.touch();

-- Base64 in one line: PostgreSQL breaks it after 76 characters.
create function private.to_base64(bytes bytea) returns text
language sql immutable set search_path = '' as $$
  select translate(encode(bytes, 'base64'), E'\n', '')
$$;

-- What one who has everything up to `since` lacks; null when the document is not theirs to read.
create function private.document_since(project uuid, since bigint) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
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

create function public.load_document(project uuid, since bigint default 0) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  answer jsonb := private.document_since(project, coalesce(since, 0));
begin
  if answer is null then
    perform private.refuse(404, 'not_found_or_private');
  end if;
  return answer;
end
$$;

-- Turns the violation of a constraint into a refusal with the constraint's name, which is a code.
create function private.refuse_violation(name text, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if name in ('path_taken', 'project_files_pkey') then
    perform private.refuse(409, 'path_taken');
  elsif name in ('title_required', 'description_too_long', 'invalid_path', 'file_too_large',
                 'project_too_large', 'bad_request') then
    perform private.refuse(422, name);
  end if;
  perform private.refuse(422, 'save_refused', message);
end
$$;

-- Makes the person asking the owner of a new project with these files and this document.
create function private.create_project(
  id uuid, title text, description text, visibility text, settings jsonb, files jsonb,
  state text, state_sha256 text, forked_from uuid
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  person constant uuid := private.person();
  violated text;
  answer jsonb;
begin
  perform private.require_active();
  -- One at a time for each person: a retry must find what the first call is just making, and the
  -- hourly count must count it.
  perform pg_advisory_xact_lock(hashtextextended('create_project ' || person, 0));

  if exists (select from public.documents d where d.project_id = create_project.id) then
    if not exists (
      select from public.documents d where d.project_id = create_project.id
        and d.state_sha256 = decode(create_project.state_sha256, 'hex')
    ) then
      perform private.refuse(409, 'version_conflict', 'this project was made with another state');
    end if;
  else
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
        (id, owner_id, title, description, visibility, settings, forked_from)
      values (
        create_project.id, person, coalesce(create_project.title, ''),
        coalesce(create_project.description, ''), coalesce(create_project.visibility, 'private'),
        coalesce(create_project.settings, '{}'), create_project.forked_from
      ) on conflict (slug) do nothing;
      exit when found;
    end loop;
    insert into public.project_files (project_id, path, content)
      select create_project.id, f.path, f.content
      from jsonb_to_recordset(coalesce(create_project.files, '[]')) as f (path text, content text);
    insert into public.documents (project_id, state, state_sha256)
      values (create_project.id, decode(create_project.state, 'base64'),
        decode(create_project.state_sha256, 'hex'));
  end if;

  select jsonb_build_object('id', p.id, 'slug', p.slug, 'revision', p.revision,
      'seq', d.state_seq, 'username', o.username)
    into answer
    from public.projects p
    join public.documents d on d.project_id = p.id
    join public.profiles o on o.id = p.owner_id
    where p.id = create_project.id;
  return answer;
exception
  when check_violation or unique_violation or not_null_violation then
    get stacked diagnostics violated = constraint_name;
    if violated = 'projects_pkey' then
      perform private.refuse(403, 'not_allowed', 'that id belongs to another project');
    end if;
    perform private.refuse_violation(violated, sqlerrm);
  when data_exception then
    perform private.refuse(422, 'save_refused', sqlerrm);
end
$$;

-- Takes in a client's updates and the files they changed: all of it, or nothing.
create function private.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb
) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  sent int;
  current_seq bigint;
  current_state_seq bigint;
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
  select d.seq, d.state_seq into current_seq, current_state_seq
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
  update public.documents d set seq = current_seq where d.project_id = project;

  delete from public.project_files f
    where f.project_id = project
      and f.path in (select jsonb_array_elements_text(coalesce(removed, '[]')));
  insert into public.project_files as f (project_id, path, content)
    select project, c.path, c.content
    from jsonb_to_recordset(coalesce(changed, '[]')) as c (path text, content text)
    on conflict (project_id, path) do update set content = excluded.content;
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

create function public.create_project(
  id uuid, title text, description text, visibility text, settings jsonb, files jsonb,
  state text, state_sha256 text, forked_from uuid default null
) returns jsonb
language sql set search_path = '' as $$
  select private.create_project(
    id, title, description, visibility, settings, files, state, state_sha256, forked_from)
$$;
create function public.append_updates(
  project uuid, client uuid, base bigint, updates jsonb, changed jsonb, removed jsonb
) returns jsonb
language sql set search_path = '' as $$
  select private.append_updates(project, client, base, updates, changed, removed)
$$;

grant create on schema private to vitrine_writer;
alter function private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid)
  owner to vitrine_writer;
alter function private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb)
  owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.to_base64(bytea), private.document_since(uuid, bigint),
  private.refuse_violation(text, text),
  private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid),
  private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb),
  public.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid),
  public.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb),
  public.load_document(uuid, bigint)
  from public, anon, authenticated;
grant execute on function private.to_base64(bytea), private.document_since(uuid, bigint)
  to authenticated, vitrine_writer;
grant execute on function private.refuse_violation(text, text) to vitrine_writer;
grant execute on function
  private.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid),
  private.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb),
  public.create_project(uuid, text, text, text, jsonb, jsonb, text, text, uuid),
  public.append_updates(uuid, uuid, bigint, jsonb, jsonb, jsonb),
  public.load_document(uuid, bigint)
  to authenticated;
