-- What moderators and admins do to others' projects and accounts. The policies say who may; the
-- functions give each act its own name and answer.

-- Moderators suspend members. Admins also suspend moderators and change roles, never their own,
-- so that a place cannot lose its last admin by a slip.
create policy "moderators suspend members, admins also moderators" on public.profiles
  for update to vitrine_writer
  using (
    id <> (select private.person())
    and ((select private.active_role()) = 'admin'
      or ((select private.active_role()) = 'moderator' and role = 'member'))
  )
  with check (
    id <> (select private.person())
    and ((select private.active_role()) = 'admin'
      or ((select private.active_role()) = 'moderator' and role = 'member'))
  );

-- Hides a project from everyone but its owner and moderators, or shows it again.
create function private.set_project_hidden(project uuid, hidden boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_active();
  if private.active_role() not in ('moderator', 'admin') then
    perform private.refuse(403, 'not_allowed');
  end if;
  update public.projects p
    set hidden_at = case when hidden then coalesce(p.hidden_at, now()) end
    where p.id = project;
  if not found then
    perform private.refuse(404, 'not_found_or_private');
  end if;
end
$$;

-- A suspended person keeps reading and exporting and can change nothing.
create function private.set_suspended(person uuid, suspended boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_active();
  if person = private.person() then
    perform private.refuse(403, 'not_allowed');
  end if;
  update public.profiles p
    set suspended_at = case when suspended then coalesce(p.suspended_at, now()) end
    where p.id = person;
  if not found then
    perform private.refuse(403, 'not_allowed');
  end if;
end
$$;

create function private.set_role(person uuid, role text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_active();
  if private.active_role() <> 'admin' or person = private.person() then
    perform private.refuse(403, 'not_allowed');
  elsif set_role.role is null or set_role.role not in ('member', 'moderator', 'admin') then
    perform private.refuse(422, 'bad_request', 'there is no such role');
  end if;
  update public.profiles p set role = set_role.role where p.id = person;
  if not found then
    perform private.refuse(403, 'not_allowed');
  end if;
end
$$;

create function public.set_project_hidden(project uuid, hidden boolean) returns void
language sql set search_path = '' as $$ select private.set_project_hidden(project, hidden) $$;
create function public.set_suspended(person uuid, suspended boolean) returns void
language sql set search_path = '' as $$ select private.set_suspended(person, suspended) $$;
create function public.set_role(person uuid, role text) returns void
language sql set search_path = '' as $$ select private.set_role(person, role) $$;

grant create on schema private to vitrine_writer;
alter function private.set_project_hidden(uuid, boolean) owner to vitrine_writer;
alter function private.set_suspended(uuid, boolean) owner to vitrine_writer;
alter function private.set_role(uuid, text) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.set_project_hidden(uuid, boolean), private.set_suspended(uuid, boolean),
  private.set_role(uuid, text), public.set_project_hidden(uuid, boolean),
  public.set_suspended(uuid, boolean), public.set_role(uuid, text)
  from public, anon, authenticated;
grant execute on function
  private.set_project_hidden(uuid, boolean), private.set_suspended(uuid, boolean),
  private.set_role(uuid, text), public.set_project_hidden(uuid, boolean),
  public.set_suspended(uuid, boolean), public.set_role(uuid, text)
  to authenticated;
