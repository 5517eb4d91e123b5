-- Where an instance sends no mail, the operator may let the link of an invitation by email prove it: the
-- account with that address accepts it without having verified the address.

-- Settings of the instance that functions depend on. The embedded backend writes them when it starts; on
-- a hosted project, the operator does.
create table private.instance_settings (
  name text primary key check (name in ('invitation_link_verifies')),
  value boolean not null
);
alter table private.instance_settings enable row level security;
grant select on private.instance_settings to vitrine_writer;
grant select, insert, update on private.instance_settings to service_role;
create policy "functions read settings" on private.instance_settings
  for select to vitrine_writer using (true);

create function public.set_instance_setting(name text, value boolean) returns void
language sql set search_path = '' as $$
  insert into private.instance_settings (name, value) values (name, value)
    on conflict (name) do update set value = excluded.value
$$;
revoke execute on function public.set_instance_setting(text, boolean)
  from public, anon, authenticated;
grant execute on function public.set_instance_setting(text, boolean) to service_role;

-- Whether the token that this transaction presents proves an invitation to the address of the user
-- asking.
create function private.link_verifies(invitation public.invitations) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(
    invitation.token_hash = private.presented_token()
    and invitation.email = private.own_email(false)
    and (select s.value from private.instance_settings s where s.name = 'invitation_link_verifies'),
    false)
$$;

create or replace function private.invitation_problem(invitation public.invitations) returns text
language plpgsql stable set search_path = '' as $$
declare
  person constant uuid := private.person();
begin
  return case
    when invitation.id is null then 'invitation_not_found'
    when invitation.accepted_at is not null then 'invitation_used'
    when invitation.declined_at is not null then 'invitation_declined'
    when invitation.revoked_at is not null then 'invitation_revoked'
    when invitation.expires_at <= now() then 'invitation_expired'
    when not exists (
      select from public.projects p join public.profiles o on o.id = p.owner_id
      where p.id = invitation.project_id and p.owner_id = invitation.created_by
        and o.suspended_at is null and p.trashed_at is null and p.hidden_at is null
    ) then 'invitation_revoked'
    when person = any (invitation.excluded_users) then 'invitation_revoked'
    when invitation.kind = 'email' and person is not null
      and invitation.email is distinct from private.own_email(true)
      and not private.link_verifies(invitation) then
      case when invitation.email = private.own_email(false)
        then 'invitation_email_unverified' else 'invitation_not_yours' end
  end;
end
$$;

do $$
declare
  -- The person asking gets the role of a pending invitation to them.
  invited constant text := $policy$
    (select private.active_role()) is not null
    and user_id = (select private.person())
    and exists (
      select from public.invitations i
      where i.project_id = project_members.project_id and i.role = project_members.role
        and (
          i.invited_user = (select private.person())
          or i.email = (select private.own_email(true))
          or (i.token_hash = (select private.presented_token()) and (
            i.kind = 'link'
            or (i.email = (select private.own_email(false)) and exists (
              select from private.instance_settings s
              where s.name = 'invitation_link_verifies' and s.value
            ))
          ))
        )
        and i.accepted_at is null and i.declined_at is null and i.revoked_at is null
        and i.expires_at > now()
        and (select private.person()) <> all (i.excluded_users)
    )$policy$;
begin
  execute format('alter policy "people accept invitations" on public.project_members
    with check (%s)', invited);
  execute format('alter policy "people accept higher roles" on public.project_members
    with check (%s)', invited);
end
$$;

revoke execute on function private.link_verifies(public.invitations)
  from public, anon, authenticated;
grant execute on function private.link_verifies(public.invitations) to vitrine_writer;
