-- Access tokens end with their session. A token by itself is good for an hour, so its session is
-- looked up by every statement that depends on the user: signing out, a password changed elsewhere,
-- a ban and a lost second factor count from the next statement on, as suspension and deletion do.

-- The user of the session that the verified token names; null for visitors and the service role,
-- for a token without `session_id`, and once the session is signed out or expired or the user is
-- banned or deleted. With `any_level` also while multi-factor authentication is pending: until the
-- token and its session have both shown the second factor of a user who has one.
--
-- PL/pgSQL keeps the plan from one statement to the next. Has the rights of the schema's owner: only
-- that one reaches `auth` on a hosted project.
create function private.session_person(any_level boolean) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
begin
  if coalesce(claims ->> 'sub', '') = '' then
    return null;
  end if;
  return (
    select s.user_id
    from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = nullif(claims ->> 'session_id', '')::uuid
      and s.user_id = (claims ->> 'sub')::uuid
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now())
      and u.deleted_at is null
      and (
        any_level
        or (claims ->> 'aal' = 'aal2' and s.aal::text = 'aal2')
        or not exists (
          select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified'
        )
      )
  );
end
$$;

-- The user who is asking, if their session allows anything. Policies say `(select private.person())`,
-- which is evaluated once for each statement.
create or replace function private.person() returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return private.session_person(false);
end
$$;

create or replace function private.active_role() returns text
language sql stable set search_path = '' as $$
  select p.role from public.profiles p
  where p.id = (select private.person()) and p.suspended_at is null
$$;

-- For the app's server, which verifies a token's signature and asks here whether its session still
-- counts: 'active', 'mfa_required' or 'ended'.
create function public.session_status() returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when private.session_person(false) is not null then 'active'
    when private.session_person(true) is not null then 'mfa_required'
    else 'ended'
  end;
end
$$;

drop function public.lacks_second_factor();
drop function private.lacks_second_factor();

revoke execute on function private.session_person(boolean), public.session_status()
  from public, anon, authenticated;
grant execute on function private.session_person(boolean)
  to anon, authenticated, service_role, vitrine_writer;
grant execute on function public.session_status() to authenticated;

-- These policies called works_on or may_edit, which ask for the user, once for each row. Saving and
-- loading read thousands of rows.
alter policy "editors save" on public.projects
  using (
    (select private.active_role()) is not null and (
      owner_id = (select private.person())
      or id in (select m.project_id from public.project_members m
                where m.user_id = (select private.person()) and m.role = 'editor')
    )
  )
  with check (
    (select private.active_role()) is not null and (
      owner_id = (select private.person())
      or id in (select m.project_id from public.project_members m
                where m.user_id = (select private.person()) and m.role = 'editor')
    )
  );

do $$
declare
  works_on constant text := $policy$
    exists (
      select from public.projects p
      where p.id = project_id and (
        p.owner_id = (select private.person())
        or p.id in (select m.project_id from public.project_members m
                    where m.user_id = (select private.person()))
      )
    )$policy$;
  may_edit constant text := $policy$
    (select private.active_role()) is not null and exists (
      select from public.projects p
      where p.id = project_id and (
        p.owner_id = (select private.person())
        or p.id in (select m.project_id from public.project_members m
                    where m.user_id = (select private.person()) and m.role = 'editor')
      )
    )$policy$;
begin
  execute format('alter policy "who works on a project reads its document" on public.documents
    using (%s)', works_on);
  execute format('alter policy "who works on a project reads its updates" on public.document_updates
    using (%s)', works_on);
  execute format('alter policy "editors start the document" on public.documents
    with check (%s)', may_edit);
  execute format('alter policy "editors move the document on" on public.documents
    using (%1$s) with check (%1$s)', may_edit);
  execute format('alter policy "editors add updates in their own name" on public.document_updates
    with check (author_id = (select private.person()) and %s)', may_edit);
  execute format('alter policy "editors add files" on public.project_files
    with check (%s)', may_edit);
  execute format('alter policy "editors change files" on public.project_files
    using (%1$s) with check (%1$s)', may_edit);
  execute format('alter policy "editors remove files" on public.project_files
    using (%s)', may_edit);
end
$$;
