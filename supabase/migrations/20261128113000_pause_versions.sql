-- Two tabs or devices that resume editing at the same time save one version of the pause: the later
-- one would have edits of the other.

-- The number of the newest version if the last ten minutes have one that was saved after a pause;
-- otherwise null. Nobody saves a version meanwhile.
create function private.find_pause_version(project uuid) returns int
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_editor(project);
  -- In the order of append_updates.
  perform from public.profiles p where p.id = private.person() for key share;
  perform from public.projects p where p.id = project for no key update;
  return (
    select max(v.number) from public.project_versions v
    where v.project_id = project
    having bool_or(v.reason = 'pause' and v.created_at > now() - interval '10 minutes')
  );
end
$$;

create or replace function public.create_version(
  project uuid, message text default '', reason text default 'named'
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  newest constant int := case reason when 'pause' then private.find_pause_version(project) end;
begin
  if newest is not null then
    return jsonb_build_object('number', newest, 'created', false);
  end if;
  return private.create_version(project, message, reason);
end
$$;

grant create on schema private to vitrine_writer;
alter function private.find_pause_version(uuid) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;
revoke execute on function private.find_pause_version(uuid) from public, anon;
grant execute on function private.find_pause_version(uuid) to authenticated;
