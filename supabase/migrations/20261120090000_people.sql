-- People: who is asking, their public profile, their preferences, their sessions.
--
-- `public` is what clients reach. `private` holds what policies and functions are made of; it is
-- not exposed, and what clients may execute in it is granted name by name.
--
-- Functions that must do what a client may not are owned by `vitrine_writer`: no superuser, not
-- exempt from row level security, with policies of its own that look at the person asking. So a
-- slip in such a function still meets the policies. Four have the owner of the schema instead:
-- create_profile, my_sessions and end_session, since only that one reaches `auth` on a hosted
-- project, and count_forks, which counts on someone else's project.

create schema private;

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'vitrine_writer') then
    create role vitrine_writer nologin noinherit;
  end if;
end
$$;
-- Lets the owner of the migrations, who is no superuser on a hosted project, hand functions over.
grant vitrine_writer to current_user;

grant usage on schema private to anon, authenticated, service_role, vitrine_writer;
grant usage on schema public to anon, authenticated, service_role, vitrine_writer;

-- A hosted project grants everything on new tables to anon and authenticated. Not here: a table
-- that a later migration forgets to grant is closed.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;

-- Ends the statement with a code of the error catalogue. PostgREST answers with `status`.
create function private.refuse(status int, code text, detail text default '') returns void
language plpgsql stable set search_path = '' as $$
begin
  raise exception using errcode = 'PT' || status, message = code, detail = detail;
end
$$;

-- Who is asking: the subject of the verified token, null for visitors.
create function private.person() returns uuid
language sql stable set search_path = '' as $$
  select nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')::uuid
$$;

-- Whitespace as JavaScript's trim() knows it.
create function private.trim(value text) returns text
language sql immutable set search_path = '' as $$
  select btrim(value, U&' \0009\000A\000B\000C\000D\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF')
$$;

create function private.touch() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end
$$;

-- 3–30 of a–z, 0–9 and single inner hyphens.
create function private.is_username(name text) returns boolean
language sql immutable set search_path = '' as $$
  select char_length(name) between 3 and 30 and name ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
$$;

-- The list of packages/project/src/rules.ts; a test compares them.
create function private.is_reserved(name text) returns boolean
language sql immutable set search_path = '' as $$
  select name = any (array[
    'about', 'account', 'admin', 'administrator', 'api', 'app', 'assets', 'auth', 'blog',
    'collections', 'docs', 'draft', 'edit', 'embed', 'explore', 'full', 'healthz', 'help',
    'history', 'home', 'legal', 'login', 'logout', 'mail', 'moderation', 'moderator', 'new',
    'notifications', 'npm', 'null', 'oembed', 'official', 'p', 'password', 'portable', 'prefill',
    'preview', 'privacy', 'profile', 'public', 'register', 'root', 'search', 'security',
    'settings', 'sign-in', 'sign-out', 'sign-up', 'signin', 'signup', 'staff', 'static', 'status',
    'support', 'system', 'team', 'terms', 'trash', 'undefined', 'user', 'users', 'vitrine',
    'work', 'www'
  ])
$$;

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  -- Null until it is chosen: sign-in by link or provider comes before the choice.
  username text
    constraint invalid_username check (private.is_username(username))
    constraint username_taken check (not private.is_reserved(username)),
  display_name text not null default '',
  bio text not null default '',
  website text not null default '',
  avatar_path text,
  role text not null default 'member' check (role in ('member', 'moderator', 'admin')),
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint bad_request check (
    char_length(display_name) <= 80
    and char_length(bio) <= 1000
    and char_length(avatar_path) <= 255
    and (website = '' or (char_length(website) <= 255 and website ~ '^https?://[^[:space:]]+$'))
  )
);
-- An index and not a constraint, so that it can share its name with the check above: a reserved
-- name is told as a taken one. Names have no upper case, so this is unique without case too.
create unique index username_taken on public.profiles (username);

alter table public.profiles enable row level security;
revoke all on public.profiles from anon, authenticated;
grant select on public.profiles to anon, authenticated, vitrine_writer;
grant update (username, display_name, bio, website, avatar_path) on public.profiles
  to authenticated;
grant update (role, suspended_at) on public.profiles to vitrine_writer;
grant all on public.profiles to service_role;

-- The role of the person asking; null for visitors, suspended and removed people. Whoever changes
-- anything needs one, so policies ask `private.active_role() is not null`.
create function private.active_role() returns text
language sql stable set search_path = '' as $$
  select p.role from public.profiles p where p.id = private.person() and p.suspended_at is null
$$;

-- Refuses people who may change nothing, with the reason.
create function private.require_active() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.active_role() is not null then
    return;
  elsif exists (select from public.profiles where id = private.person()) then
    perform private.refuse(403, 'suspended');
  else
    perform private.refuse(401, 'session_expired');
  end if;
end
$$;

create policy "profiles are public" on public.profiles
  for select to anon, authenticated, vitrine_writer using (true);
create policy "people change their own profile" on public.profiles
  for update to authenticated
  using (id = (select private.person()) and (select private.active_role()) is not null)
  with check (id = (select private.person()) and (select private.active_role()) is not null);

-- A username is part of addresses that others have kept, so it is chosen once.
create function private.keep_username() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.username is not null and new.username is distinct from old.username
     and current_user in ('anon', 'authenticated') then
    perform private.refuse(403, 'not_allowed', 'a username is chosen once');
  end if;
  return new;
end
$$;
create trigger keep_username before update of username on public.profiles
  for each row execute function private.keep_username();
create trigger touch before update on public.profiles
  for each row execute function private.touch();

-- Sign-up: the profile comes with the account, or neither does.
create function private.create_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  wanted text := new.raw_user_meta_data ->> 'username';
begin
  insert into public.profiles (id, username) values (new.id, wanted);
  return new;
exception
  when unique_violation then
    perform private.refuse(409, 'username_taken');
  when check_violation then
    if private.is_reserved(wanted) then
      perform private.refuse(409, 'username_taken');
    end if;
    perform private.refuse(422, 'invalid_username');
end
$$;
create trigger create_profile after insert on auth.users
  for each row execute function private.create_profile();

-- Whether sign-up with this name would succeed now.
create function public.username_available(name text) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(private.is_username(name), false)
    and not private.is_reserved(name)
    and not exists (select from public.profiles p where p.username = name)
$$;

create table public.preferences (
  user_id uuid primary key default private.person()
    references public.profiles (id) on delete cascade,
  settings jsonb not null default '{}'
    constraint bad_request
    check (jsonb_typeof(settings) = 'object' and octet_length(settings::text) <= 16384),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table public.preferences enable row level security;
revoke all on public.preferences from anon, authenticated;
-- user_id may be sent, since an upsert names it; the policy holds it to the person asking.
grant select, insert (user_id, settings), update (user_id, settings), delete
  on public.preferences to authenticated;
grant all on public.preferences to service_role;
create policy "people read their own preferences" on public.preferences
  for select to authenticated using (user_id = (select private.person()));
create policy "people make their own preferences" on public.preferences
  for insert to authenticated
  with check (user_id = (select private.person()) and (select private.active_role()) is not null);
create policy "people change their own preferences" on public.preferences
  for update to authenticated
  using (user_id = (select private.person()) and (select private.active_role()) is not null)
  with check (user_id = (select private.person()) and (select private.active_role()) is not null);
create policy "people reset their own preferences" on public.preferences
  for delete to authenticated
  using (user_id = (select private.person()) and (select private.active_role()) is not null);
create trigger touch before update on public.preferences
  for each row execute function private.touch();

-- The sessions of the person asking, the most recently used first.
create function private.my_sessions()
returns table (
  id uuid, created_at timestamptz, refreshed_at timestamptz, user_agent text, ip text,
  current boolean
)
language sql stable security definer set search_path = '' as $$
  select s.id, s.created_at,
    -- The auth server keeps this one time without a zone, in UTC.
    coalesce(s.refreshed_at at time zone 'utc', s.created_at),
    s.user_agent, host(s.ip),
    s.id::text = current_setting('request.jwt.claims', true)::jsonb ->> 'session_id'
  from auth.sessions s
  where s.user_id = private.person()
  order by 3 desc
$$;

create function private.end_session(session uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.sessions s where s.id = session and s.user_id = private.person();
  return found;
end
$$;

create function public.my_sessions()
returns table (
  id uuid, created_at timestamptz, refreshed_at timestamptz, user_agent text, ip text,
  current boolean
)
language sql stable set search_path = '' as $$ select * from private.my_sessions() $$;

-- True when it ended one. Its refresh tokens go with it; an access token that was given out
-- already lives to its hour.
create function public.end_session(session uuid) returns boolean
language sql set search_path = '' as $$ select private.end_session(session) $$;

revoke execute on all functions in schema public, private from public, anon, authenticated;
grant execute on function
  private.person(), private.active_role(), private.require_active(), private.refuse(int, text, text),
  private.trim(text), private.is_username(text), private.is_reserved(text)
  to anon, authenticated, service_role, vitrine_writer;
grant execute on function private.my_sessions(), private.end_session(uuid) to authenticated;
grant execute on function public.username_available(text) to anon, authenticated, service_role;
grant execute on function public.my_sessions(), public.end_session(uuid) to authenticated;
