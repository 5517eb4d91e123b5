-- Invitations: to a user, to whoever has verified an email address, or by a link that anyone signed
-- in may use. An invitation to the role `owner` offers the project itself: ownership passes when the
-- user accepts.
--
-- Members and invitations are read and written by functions only, which belong to vitrine_writer like
-- those that save. They open one project to their transaction with the setting `vitrine.project`, and
-- only once they know that the person asking owns the project, works on it, or has an invitation to
-- it. The policies compare that setting instead of asking `projects`, because policies of `projects`
-- ask project_members and must not be asked back.

-- Token and setting

-- The project that a function has opened to this transaction; null outside these functions.
create function private.opened_project() returns uuid
language sql stable set search_path = '' as $$
  select nullif(current_setting('vitrine.project', true), '')::uuid
$$;

-- SHA-256 of the token that this transaction presents.
create function private.presented_token() returns bytea
language sql stable set search_path = '' as $$
  select decode(nullif(current_setting('vitrine.token', true), ''), 'hex')
$$;

-- The opened project, if the person asking owns it.
create function private.owned_project() returns uuid
language sql stable set search_path = '' as $$
  select p.id from public.projects p
  where p.id = private.opened_project() and p.owner_id = private.person()
$$;

-- The email address of an account in lower case, if its mailbox has answered. The embedded backend
-- (the schema vitrine_backend) keeps that in app_metadata, because it may be set not to confirm
-- addresses at sign-up.
create function private.verified_email(account auth.users) returns text
language sql stable set search_path = '' as $$
  select lower(account.email) where case
    when to_regnamespace('vitrine_backend') is null then account.email_confirmed_at is not null
    else account.raw_app_meta_data ->> 'verified_email' = account.email
  end
$$;

-- The email address of the person asking; with `verified` only a verified one. Has the rights of the
-- schema's owner: only that one reaches `auth` on a hosted project.
create function private.own_email(verified boolean) returns text
language sql stable security definer set search_path = '' as $$
  select case when verified then private.verified_email(u) else lower(u.email) end
  from auth.users u where u.id = private.person()
$$;

-- Tables

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  project_id uuid not null references public.projects (id) on delete cascade,
  kind text not null check (kind in ('user', 'email', 'link')),
  role text not null check (role in ('viewer', 'editor', 'owner')),
  invited_user uuid references public.profiles (id) on delete cascade,
  -- In lower case. Removed once the invitation has ended.
  email text constraint email_invalid check (
    char_length(email) <= 254 and email = lower(email)
    and email ~ '^[^[:space:]@<>,;:"]+@[^[:space:]@<>,;:"]+$'
  ),
  -- SHA-256 of the token. Null for a user, who is found by the id.
  token_hash bytea unique,
  created_by uuid not null references public.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- How often a link has changed someone's role.
  uses int not null default 0,
  -- Users whose role the owner has lowered or ended since. It doesn't give the role back to them.
  excluded_users uuid[] not null default '{}',
  accepted_by uuid references public.profiles (id) on delete set null,
  accepted_at timestamptz,
  declined_at timestamptz,
  revoked_at timestamptz,
  constraint bad_request check (
    (kind = 'user') = (invited_user is not null)
    and (kind = 'user') = (token_hash is null)
    and (kind = 'email' or email is null)
    and (kind = 'user' or role <> 'owner')
    and expires_at <= created_at + interval '30 days'
  )
);
create index invitations_project on public.invitations (project_id);
create index invitations_invited_user on public.invitations (invited_user);
create index invitations_email on public.invitations (email) where email is not null;
create index invitations_created_by on public.invitations (created_by, created_at);
create index invitations_accepted_by on public.invitations (accepted_by);

alter table public.invitations enable row level security;
revoke all on public.invitations from anon, authenticated;
grant select (
  id, project_id, kind, role, invited_user, email, created_by, created_at, expires_at, uses,
  accepted_by, accepted_at, declined_at, revoked_at
) on public.invitations to authenticated;
grant select, delete on public.invitations to vitrine_writer;
grant insert (project_id, kind, role, invited_user, email, token_hash, created_by, expires_at)
  on public.invitations to vitrine_writer;
grant update (email, uses, excluded_users, accepted_by, accepted_at, declined_at, revoked_at)
  on public.invitations to vitrine_writer;
grant all on public.invitations to service_role;

-- Policies of project_members and of updates of `projects` ask here, so these read no other table.
create policy "people see the invitations they made and got" on public.invitations
  for select to authenticated, vitrine_writer
  using (
    created_by = (select private.person())
    or invited_user = (select private.person())
    or accepted_by = (select private.person())
    or email = (select private.own_email(true))
  );
create policy "a token shows its invitation" on public.invitations
  for select to vitrine_writer using (token_hash = (select private.presented_token()));
create policy "an opened project shows its invitations" on public.invitations
  for select to vitrine_writer using (project_id = (select private.opened_project()));
create policy "owners invite to their projects" on public.invitations
  for insert to vitrine_writer
  with check (
    created_by = (select private.person()) and (select private.active_role()) is not null
    and project_id in (select p.id from public.projects p
                       where p.owner_id = (select private.person()))
  );
create policy "invitations of an opened project are answered" on public.invitations
  for update to vitrine_writer
  using (project_id = (select private.opened_project()))
  with check (project_id = (select private.opened_project()));
create policy "owners remove invitations that ended" on public.invitations
  for delete to vitrine_writer using (project_id = (select private.owned_project()));

-- Whether an invitation could still be accepted, as far as its own row says.
create function private.is_pending(invitation public.invitations) returns boolean
language sql stable set search_path = '' as $$
  select invitation.accepted_at is null and invitation.declined_at is null
    and invitation.revoked_at is null and invitation.expires_at > now()
$$;

create policy "an opened project is seen" on public.projects
  for select to vitrine_writer using (id = (select private.opened_project()));
grant update (owner_id, creation_key) on public.projects to vitrine_writer;
create policy "ownership passes to whoever it was offered" on public.projects
  for update to vitrine_writer
  using (
    (select private.active_role()) is not null
    and id in (
      select i.project_id from public.invitations i
      where i.role = 'owner' and i.created_by = projects.owner_id
        and i.invited_user = (select private.person())
        and i.accepted_at is null and i.declined_at is null and i.revoked_at is null
        and i.expires_at > now()
    )
  )
  with check (owner_id = (select private.person()));

grant insert (project_id, user_id, role), update (role), delete
  on public.project_members to vitrine_writer;
create policy "an opened project shows its members" on public.project_members
  for select to vitrine_writer using (project_id = (select private.opened_project()));
create policy "owners remove members, who may also leave" on public.project_members
  for delete to vitrine_writer
  using (
    user_id = (select private.person()) or project_id = (select private.owned_project())
  );
create policy "owners change roles" on public.project_members
  for update to vitrine_writer
  using (project_id = (select private.owned_project()))
  with check (project_id = (select private.owned_project()));

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
          or (i.kind = 'link' and i.token_hash = (select private.presented_token()))
        )
        and i.accepted_at is null and i.declined_at is null and i.revoked_at is null
        and i.expires_at > now()
        and (select private.person()) <> all (i.excluded_users)
    )$policy$;
begin
  execute format('create policy "people accept invitations" on public.project_members
    for insert to vitrine_writer with check (%s)', invited);
  execute format('create policy "people accept higher roles" on public.project_members
    for update to vitrine_writer using (user_id = (select private.person())) with check (%s)', invited);
end
$$;
create policy "a former owner stays as an editor" on public.project_members
  for insert to vitrine_writer
  with check (
    role = 'editor'
    and exists (
      select from public.invitations i
      where i.project_id = project_members.project_id and i.role = 'owner'
        and i.created_by = project_members.user_id
        and i.invited_user = (select private.person())
        and i.accepted_at is null and i.declined_at is null and i.revoked_at is null
        and i.expires_at > now()
    )
  );

-- An owner has no row of their own, whoever writes it.
create function private.guard_member() returns trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from public.projects p where p.id = new.project_id and p.owner_id = new.user_id
  ) then
    perform private.refuse(409, 'already_owner');
  end if;
  return new;
end
$$;
create trigger guard_member before insert or update on public.project_members
  for each row execute function private.guard_member();

-- Tells those who have the project open that its people have changed. They read what they may know of
-- it themselves: messages are kept for days. Has the rights of the schema's owner: only that one sends
-- messages from the database on a hosted project.
create function private.announce_members() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  project uuid;
begin
  if tg_table_name = 'projects' then
    project := new.id;
  elsif tg_op = 'DELETE' then
    project := old.project_id;
  else
    project := new.project_id;
  end if;
  perform realtime.send('{}'::jsonb, 'members_changed', 'project:' || project, true);
  return null;
end
$$;
-- A deleted account leaves neither its address nor its id in invitations of others. Has the rights of
-- the schema's owner, since the auth server deletes accounts.
create function private.forget_invited() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.invitations i set email = null, revoked_at = coalesce(i.revoked_at, now())
    where i.email = private.verified_email(old);
  update public.invitations i set excluded_users = array_remove(i.excluded_users, old.id)
    where old.id = any (i.excluded_users);
  return null;
end
$$;
create trigger forget_invited after delete on auth.users
  for each row execute function private.forget_invited();

create trigger announce_members after insert or update or delete on public.project_members
  for each row execute function private.announce_members();
create trigger announce_owner after update of owner_id on public.projects
  for each row when (new.owner_id <> old.owner_id) execute function private.announce_members();

-- Parts of the functions

-- 43 characters of base64url, of 244 random bits.
create function private.new_token() returns text
language sql volatile set search_path = '' as $$
  select translate(
    encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'),
    '+/=', '-_')
$$;

-- Changes to a project's people wait for each other.
create function private.lock_people(project uuid) returns void
language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('people ' || project, 0))
$$;

-- The role of the person asking: 'owner', 'editor', 'viewer' or null. Members have none while the
-- project is in the trash or hidden.
create function private.project_role(project uuid) returns text
language sql stable set search_path = '' as $$
  select case
    when p.owner_id = private.person() then 'owner'
    when p.trashed_at is null and p.hidden_at is null then (
      select m.role from public.project_members m
      where m.project_id = p.id and m.user_id = private.person())
  end
  from public.projects p where p.id = project
$$;

-- Opens a project's people to this transaction, and returns the role of the person asking. Refuses
-- whoever doesn't work on the project, and with `must_own` whoever doesn't own it.
create function private.open_people(project uuid, must_own boolean) returns text
language plpgsql set search_path = '' as $$
declare
  held constant text := private.project_role(project);
begin
  if held is null or (must_own and held <> 'owner') then
    if exists (select from public.projects p where p.id = project) then
      perform private.refuse(403, 'not_allowed');
    end if;
    perform private.refuse(404, 'not_found_or_private');
  end if;
  perform set_config('vitrine.project', project::text, true);
  return held;
end
$$;

create function private.public_profile(person uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'username', p.username, 'display_name', p.display_name,
    'avatar_path', p.avatar_path)
  from public.profiles p where p.id = person
$$;

-- The invitation of a token, or the one with this id that was made to the person asking. All null if
-- there is none. Opens its project to this transaction.
create function private.find_invitation(token_or_id text) returns public.invitations
language plpgsql set search_path = '' as $$
declare
  person constant uuid := private.person();
  invitation public.invitations;
begin
  perform set_config('vitrine.token',
    encode(sha256(convert_to(coalesce(token_or_id, ''), 'UTF8')), 'hex'), true);
  if token_or_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select i.* into invitation from public.invitations i
      where i.id = token_or_id::uuid
        and (i.invited_user = person or i.accepted_by = person
          or i.email = private.own_email(true));
  else
    select i.* into invitation from public.invitations i
      where i.token_hash = private.presented_token();
  end if;
  perform set_config('vitrine.project', coalesce(invitation.project_id::text, ''), true);
  return invitation;
end
$$;

-- Why the person asking can't accept an invitation whose project is open, as a code of the error
-- catalog; null if they can. Visitors are not asked for their address yet.
create function private.invitation_problem(invitation public.invitations) returns text
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
      and invitation.email is distinct from private.own_email(true) then
      case when invitation.email = private.own_email(false)
        then 'invitation_email_unverified' else 'invitation_not_yours' end
  end;
end
$$;

-- What whoever got an invitation may know before they accept: who invites to what. Its project is
-- open to this transaction.
create function private.describe_invitation(invitation public.invitations) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'id', invitation.id, 'kind', invitation.kind, 'role', invitation.role,
    'created_at', invitation.created_at, 'expires_at', invitation.expires_at,
    -- Whoever has a forwarded mail learns no address: a…@example.org
    'email', regexp_replace(invitation.email, '^(.)[^@]*', '\1…'),
    'project', jsonb_build_object('title', p.title),
    'inviter', private.public_profile(invitation.created_by))
  from public.projects p where p.id = invitation.project_id
$$;

-- { role, slug, username }: where a project is, for someone who works on it.
create function private.project_address(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('role', private.project_role(p.id), 'slug', p.slug,
    'username', o.username)
  from public.projects p join public.profiles o on o.id = p.owner_id where p.id = project
$$;

-- Invitations that are pending give a user whose role was lowered or ended nothing back. `role` is
-- what the user still has; null after a removal.
create function private.exclude_from_invitations(project uuid, member uuid, role text)
returns void language sql volatile set search_path = '' as $$
  update public.invitations i set
    excluded_users = i.excluded_users || member,
    revoked_at = case when i.invited_user = member then now() end
  where i.project_id = project and i.role <> 'owner' and private.is_pending(i)
    and (exclude_from_invitations.role is null or i.role <> exclude_from_invitations.role)
$$;

-- Functions

-- Invites a user, an email address or, without either, whoever has the link. To the role `owner` only
-- a user. An earlier invitation of the same user or address ends. `token` is told only here.
create function private.invite_to_project(
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
  -- The hourly count must count what other calls of this person are just making.
  perform pg_advisory_xact_lock(hashtextextended('invite ' || person, 0));
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

  if (select count(*) from public.invitations i
      where i.created_by = person and i.created_at > now() - interval '1 hour') >= 60 then
    perform private.refuse(429, 'rate_limited', '60 invitations an hour');
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
    'expires_at', made.expires_at, 'token', token);
exception
  when check_violation then
    perform private.refuse(422, 'email_invalid');
end
$$;

-- The owner, the members, and for the owner the pending invitations.
create function private.list_people(project uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  held constant text := private.open_people(project, false);
  answer jsonb;
begin
  select jsonb_build_object(
    'role', held,
    'owner', private.public_profile(p.owner_id),
    'members', coalesce((
      select jsonb_agg(private.public_profile(m.user_id) || jsonb_build_object('role', m.role)
        order by m.created_at, m.user_id)
      from public.project_members m where m.project_id = p.id
    ), '[]'::jsonb),
    'invitations', coalesce((
      select jsonb_agg(jsonb_build_object(
          'id', i.id, 'kind', i.kind, 'role', i.role, 'email', i.email,
          'user', private.public_profile(i.invited_user),
          'created_at', i.created_at, 'expires_at', i.expires_at, 'uses', i.uses
        ) order by i.created_at desc, i.id)
      from public.invitations i
      where held = 'owner' and i.project_id = p.id and i.created_by = p.owner_id
        and private.is_pending(i)
    ), '[]'::jsonb))
    into answer
    from public.projects p where p.id = project;
  return answer;
end
$$;

-- The pending invitations to the person asking, the newest first.
create function private.list_invitations() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := private.person();
  address constant text := private.own_email(true);
  invitation public.invitations;
  listed jsonb := '[]';
begin
  for invitation in
    select i.* from public.invitations i
    where (i.invited_user = person or i.email = address) and private.is_pending(i)
    order by i.created_at desc, i.id limit 100
  loop
    perform set_config('vitrine.project', invitation.project_id::text, true);
    if private.invitation_problem(invitation) is null then
      listed := listed || private.describe_invitation(invitation);
    end if;
  end loop;
  perform set_config('vitrine.project', '', true);
  return listed;
end
$$;

-- An invitation by its token or, for whoever it was made to, its id: what it invites to unless it has
-- ended, why the person asking can't accept it (`problem`), and `access`, where the project is, for
-- whoever works on it already.
create function private.read_invitation(invitation text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  found_one constant public.invitations := private.find_invitation(invitation);
  problem constant text := private.invitation_problem(found_one);
  access jsonb;
begin
  if private.project_role(found_one.project_id) is not null then
    access := private.project_address(found_one.project_id);
  end if;
  return jsonb_build_object('problem', problem, 'access', access) || case
    when problem is null or problem in ('invitation_not_yours', 'invitation_email_unverified')
      then private.describe_invitation(found_one)
    else '{}'::jsonb
  end;
end
$$;

-- Gives the person asking the role of an invitation, unless they have a higher one, and returns where
-- the project is. Repeating the call changes nothing.
create function private.accept_invitation(invitation text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := private.person();
  accepted public.invitations;
  problem text;
  held text;
begin
  perform private.require_active();
  accepted := private.find_invitation(invitation);
  perform private.lock_people(accepted.project_id);
  -- As it is now that nobody else changes it.
  accepted := private.find_invitation(invitation);
  problem := private.invitation_problem(accepted);
  held := private.project_role(accepted.project_id);
  if problem = 'invitation_used' and accepted.accepted_by = person and held is not null then
    return private.project_address(accepted.project_id);
  elsif problem is not null then
    perform private.refuse(
      case problem when 'invitation_not_found' then 404 when 'invitation_not_yours' then 403
        when 'invitation_email_unverified' then 403 else 409 end,
      problem);
  end if;

  if accepted.role = 'owner' then
    update public.projects p set owner_id = person, creation_key = null
      where p.id = accepted.project_id;
    delete from public.project_members m
      where m.project_id = accepted.project_id and m.user_id = person;
    insert into public.project_members (project_id, user_id, role)
      values (accepted.project_id, accepted.created_by, 'editor');
    -- What the former owner invited to is the new one's to decide.
    update public.invitations i set revoked_at = now(), email = null
      where i.project_id = accepted.project_id and i.id <> accepted.id and private.is_pending(i);
  elsif held is null then
    if (select count(*) from public.project_members m
        where m.project_id = accepted.project_id) >= 50 then
      perform private.refuse(422, 'too_many_members', '50 members');
    end if;
    insert into public.project_members (project_id, user_id, role)
      values (accepted.project_id, person, accepted.role);
  elsif held = 'viewer' and accepted.role = 'editor' then
    update public.project_members m set role = 'editor'
      where m.project_id = accepted.project_id and m.user_id = person;
  elsif accepted.kind = 'link' then
    return private.project_address(accepted.project_id);
  end if;

  if accepted.kind = 'link' then
    update public.invitations i set uses = i.uses + 1 where i.id = accepted.id;
  else
    update public.invitations i set accepted_by = person, accepted_at = now(), email = null
      where i.id = accepted.id;
  end if;
  return private.project_address(accepted.project_id);
end
$$;

-- Ends an invitation to a user or address. A link is for others too, so it stays.
create function private.decline_invitation(invitation text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  declined public.invitations;
  problem text;
begin
  perform private.require_active();
  declined := private.find_invitation(invitation);
  perform private.lock_people(declined.project_id);
  declined := private.find_invitation(invitation);
  problem := private.invitation_problem(declined);
  if problem in ('invitation_not_found', 'invitation_not_yours', 'invitation_email_unverified') then
    perform private.refuse(404, 'invitation_not_found');
  elsif problem is null and declined.kind <> 'link' then
    update public.invitations i set declined_at = now(), email = null where i.id = declined.id;
  end if;
end
$$;

-- Ends an invitation to a project of the person asking.
create function private.revoke_invitation(invitation uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  project uuid;
begin
  perform private.require_active();
  select i.project_id into project from public.invitations i
    where i.id = invitation and i.created_by = private.person();
  if project is null then
    perform private.refuse(404, 'invitation_not_found');
  end if;
  perform private.lock_people(project);
  perform private.open_people(project, true);
  update public.invitations i set revoked_at = now(), email = null
    where i.id = invitation and i.accepted_at is null and i.declined_at is null
      and i.revoked_at is null;
end
$$;

create function private.set_member_role(project uuid, member uuid, role text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.require_active();
  perform private.lock_people(project);
  perform private.open_people(project, true);
  if set_member_role.role is null or set_member_role.role not in ('viewer', 'editor') then
    perform private.refuse(422, 'bad_request', 'a member is a viewer or an editor');
  end if;
  update public.project_members m set role = set_member_role.role
    where m.project_id = project and m.user_id = member;
  if not found then
    perform private.refuse(404, 'member_not_found');
  end if;
  if set_member_role.role = 'viewer' then
    perform private.exclude_from_invitations(project, member, 'viewer');
  end if;
end
$$;

create function private.remove_member(project uuid, member uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_active();
  perform private.lock_people(project);
  perform private.open_people(project, true);
  delete from public.project_members m where m.project_id = project and m.user_id = member;
  perform private.exclude_from_invitations(project, member, null);
end
$$;

create function private.leave_project(project uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require_active();
  perform private.lock_people(project);
  if private.open_people(project, false) = 'owner' then
    perform private.refuse(403, 'not_allowed', 'an owner transfers the project first');
  end if;
  delete from public.project_members m
    where m.project_id = project and m.user_id = private.person();
end
$$;

-- The doors

create function public.invite_to_project(
  project uuid, role text, username text default null, email text default null, days int default 7
) returns jsonb
language sql set search_path = '' as $$
  select private.invite_to_project(project, role, username, email, days)
$$;
create function public.list_people(project uuid) returns jsonb
language sql set search_path = '' as $$ select private.list_people(project) $$;
create function public.list_invitations() returns jsonb
language sql set search_path = '' as $$ select private.list_invitations() $$;
create function public.read_invitation(invitation text) returns jsonb
language sql set search_path = '' as $$ select private.read_invitation(invitation) $$;
create function public.accept_invitation(invitation text) returns jsonb
language sql set search_path = '' as $$ select private.accept_invitation(invitation) $$;
create function public.decline_invitation(invitation text) returns void
language sql set search_path = '' as $$ select private.decline_invitation(invitation) $$;
create function public.revoke_invitation(invitation uuid) returns void
language sql set search_path = '' as $$ select private.revoke_invitation(invitation) $$;
create function public.set_member_role(project uuid, member uuid, role text) returns void
language sql set search_path = '' as $$ select private.set_member_role(project, member, role) $$;
create function public.remove_member(project uuid, member uuid) returns void
language sql set search_path = '' as $$ select private.remove_member(project, member) $$;
create function public.leave_project(project uuid) returns void
language sql set search_path = '' as $$ select private.leave_project(project) $$;

grant create on schema private to vitrine_writer;
alter function private.invite_to_project(uuid, text, text, text, int) owner to vitrine_writer;
alter function private.list_people(uuid) owner to vitrine_writer;
alter function private.list_invitations() owner to vitrine_writer;
alter function private.read_invitation(text) owner to vitrine_writer;
alter function private.accept_invitation(text) owner to vitrine_writer;
alter function private.decline_invitation(text) owner to vitrine_writer;
alter function private.revoke_invitation(uuid) owner to vitrine_writer;
alter function private.set_member_role(uuid, uuid, text) owner to vitrine_writer;
alter function private.remove_member(uuid, uuid) owner to vitrine_writer;
alter function private.leave_project(uuid) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.opened_project(), private.presented_token(), private.owned_project(),
  private.verified_email(auth.users), private.own_email(boolean),
  private.is_pending(public.invitations), private.guard_member(), private.forget_invited(),
  private.announce_members(), private.new_token(), private.lock_people(uuid),
  private.project_role(uuid), private.open_people(uuid, boolean), private.public_profile(uuid),
  private.find_invitation(text), private.invitation_problem(public.invitations),
  private.describe_invitation(public.invitations), private.project_address(uuid),
  private.exclude_from_invitations(uuid, uuid, text),
  private.invite_to_project(uuid, text, text, text, int), private.list_people(uuid),
  private.list_invitations(), private.read_invitation(text), private.accept_invitation(text),
  private.decline_invitation(text), private.revoke_invitation(uuid),
  private.set_member_role(uuid, uuid, text), private.remove_member(uuid, uuid),
  private.leave_project(uuid),
  public.invite_to_project(uuid, text, text, text, int), public.list_people(uuid),
  public.list_invitations(), public.read_invitation(text), public.accept_invitation(text),
  public.decline_invitation(text), public.revoke_invitation(uuid),
  public.set_member_role(uuid, uuid, text), public.remove_member(uuid, uuid),
  public.leave_project(uuid)
  from public, anon, authenticated;
grant execute on function
  private.opened_project(), private.presented_token(), private.owned_project(),
  private.is_pending(public.invitations), private.new_token(), private.lock_people(uuid),
  private.project_role(uuid), private.open_people(uuid, boolean), private.public_profile(uuid),
  private.find_invitation(text), private.invitation_problem(public.invitations),
  private.describe_invitation(public.invitations), private.project_address(uuid),
  private.exclude_from_invitations(uuid, uuid, text)
  to vitrine_writer;
-- A policy asks for it when a client reads invitations.
grant execute on function private.own_email(boolean) to authenticated, service_role, vitrine_writer;
grant execute on function private.read_invitation(text), public.read_invitation(text)
  to anon, authenticated;
grant execute on function
  private.invite_to_project(uuid, text, text, text, int), private.list_people(uuid),
  private.list_invitations(), private.accept_invitation(text), private.decline_invitation(text),
  private.revoke_invitation(uuid), private.set_member_role(uuid, uuid, text),
  private.remove_member(uuid, uuid), private.leave_project(uuid),
  public.invite_to_project(uuid, text, text, text, int), public.list_people(uuid),
  public.list_invitations(), public.accept_invitation(text), public.decline_invitation(text),
  public.revoke_invitation(uuid), public.set_member_role(uuid, uuid, text),
  public.remove_member(uuid, uuid), public.leave_project(uuid)
  to authenticated;
