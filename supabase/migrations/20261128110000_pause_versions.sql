-- Two tabs or devices that resume editing at the same time save one version of the pause: the later
-- one would have edits of the other.

-- Keeps the files as they are now as a version: { number, created }. A version that nobody asked for
-- is not made if nothing changed since the newest; `number` is that of the newest then. Neither is one
-- after a pause of ten minutes if that pause already has one.
create or replace function private.create_version(project uuid, message text, reason text) returns jsonb
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
  if newest > 0 and (
    changed is null and create_version.reason <> 'named'
    or create_version.reason = 'pause' and exists (
      select from public.project_versions v
      where v.project_id = project and v.reason = 'pause'
        and v.created_at > now() - interval '10 minutes'
    )
  ) then
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
