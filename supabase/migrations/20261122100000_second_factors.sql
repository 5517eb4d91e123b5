-- Whoever has a second factor is nobody here until a session has shown it: a password, a mailed
-- link or a provider alone opens nothing that is theirs.

-- Whether the account of the session asking has a second factor that the session has not shown.
-- Has the rights of the schema's owner: only that one reaches `auth` on a hosted project.
create function private.lacks_second_factor() returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(asked.claims ->> 'aal', '') <> 'aal2' and exists (
    select from auth.mfa_factors f
    where f.user_id = nullif(asked.claims ->> 'sub', '')::uuid and f.status = 'verified'
  )
  from (select nullif(current_setting('request.jwt.claims', true), '')::jsonb as claims) asked
$$;

-- Who is asking: the subject of the verified token; null for visitors, and for whoever has yet to
-- show their second factor.
create or replace function private.person() returns uuid
language sql stable set search_path = '' as $$
  select case when asked.claims ->> 'aal' = 'aal2' or not private.lacks_second_factor()
    then nullif(asked.claims ->> 'sub', '')::uuid end
  from (select nullif(current_setting('request.jwt.claims', true), '')::jsonb as claims) asked
$$;

create function public.lacks_second_factor() returns boolean
language sql stable set search_path = '' as $$ select private.lacks_second_factor() $$;

revoke execute on function private.lacks_second_factor(), public.lacks_second_factor()
  from public, anon, authenticated;
grant execute on function private.lacks_second_factor()
  to anon, authenticated, service_role, vitrine_writer;
grant execute on function public.lacks_second_factor() to authenticated;
