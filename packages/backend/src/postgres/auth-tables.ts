/**
 * Tables of the schema `auth`: the columns that are used here, with GoTrue's names and types, so
 * that migrations work on a hosted project too. Runs as supabase_auth_admin and is idempotent.
 * Later changes are `alter table … add column if not exists` at the end.
 */
export const authTablesSql = `
create table if not exists auth.users (
  instance_id uuid,
  id uuid primary key,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text unique default null,
  phone_confirmed_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  banned_until timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false
);
create unique index if not exists users_email_partial_key on auth.users (email) where is_sso_user = false;
create index if not exists users_instance_id_email_idx on auth.users (instance_id, lower(email));

create table if not exists auth.identities (
  provider_id text not null,
  user_id uuid not null references auth.users on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid primary key default gen_random_uuid(),
  unique (provider_id, provider)
);
create index if not exists identities_user_id_idx on auth.identities (user_id);

create table if not exists auth.sessions (
  id uuid primary key,
  user_id uuid not null references auth.users on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal text,
  not_after timestamptz,
  refreshed_at timestamp,
  user_agent text,
  ip inet,
  tag text
);
create index if not exists sessions_user_id_idx on auth.sessions (user_id);

create table if not exists auth.mfa_amr_claims (
  session_id uuid not null references auth.sessions on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid primary key,
  unique (session_id, authentication_method)
);

-- token is the SHA-256 of the client's token: reading this table does not allow signing in.
create table if not exists auth.refresh_tokens (
  instance_id uuid,
  id bigserial primary key,
  token varchar(255) unique,
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid references auth.sessions on delete cascade
);
create index if not exists refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index if not exists refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index if not exists refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

-- auth_code is the SHA-256 of the code in the URL.
create table if not exists auth.flow_state (
  id uuid primary key,
  user_id uuid references auth.users on delete cascade,
  auth_code text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  code_challenge text not null,
  provider_type text not null,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz
);
create index if not exists flow_state_created_at_idx on auth.flow_state (created_at desc);
create index if not exists flow_state_auth_code_idx on auth.flow_state (auth_code);

-- Mailed links; token_hash is the SHA-256 of the token in the mail. A user may have several of a
-- type (GoTrue allows one): a mail that a stranger requests does not void the user's. flow_state_id
-- does not exist in GoTrue: the flow of the browser that requested the mail and can redeem its
-- code.
create table if not exists auth.one_time_tokens (
  id uuid primary key,
  user_id uuid not null references auth.users on delete cascade,
  token_type text not null check (token_type in (
    'confirmation_token', 'recovery_token', 'email_change_token_new'
  )),
  token_hash text not null check (char_length(token_hash) > 0),
  relates_to text not null,
  flow_state_id uuid not null references auth.flow_state on delete cascade,
  created_at timestamp not null default now(),
  updated_at timestamp not null default now()
);
create index if not exists one_time_tokens_user_id_token_type_idx on auth.one_time_tokens (user_id, token_type);
create index if not exists one_time_tokens_token_hash_idx on auth.one_time_tokens using hash (token_hash);

-- Codes typed by hand; code_hash is an HMAC, as a code is short enough to be guessed from a plain
-- hash. A mail to a browser without a challenge contains a code and no link.
alter table auth.one_time_tokens
  add column if not exists code_hash text,
  add column if not exists tries integer not null default 0;
alter table auth.one_time_tokens alter column flow_state_id drop not null;
alter table auth.one_time_tokens drop constraint if exists one_time_tokens_token_type_check;
alter table auth.one_time_tokens add constraint one_time_tokens_token_type_check check (token_type in (
  'confirmation_token', 'recovery_token', 'email_change_token_new', 'email_change_token_current',
  'reauthentication_token'
));
create index if not exists one_time_tokens_relates_to_idx on auth.one_time_tokens using hash (relates_to);
alter table auth.users
  add column if not exists reauthentication_sent_at timestamptz,
  add column if not exists email_change_confirm_status smallint not null default 0;

-- secret is encrypted with a key of the instance. last_step does not exist in GoTrue: it prevents
-- the reuse of codes.
create table if not exists auth.mfa_factors (
  id uuid primary key,
  user_id uuid not null references auth.users on delete cascade,
  friendly_name text,
  factor_type text not null check (factor_type in ('totp', 'webauthn', 'phone')),
  status text not null check (status in ('unverified', 'verified')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  last_challenged_at timestamptz unique,
  last_step bigint
);
create unique index if not exists mfa_factors_user_friendly_name_unique
  on auth.mfa_factors (friendly_name, user_id) where trim(friendly_name) <> '';
create index if not exists mfa_factors_user_id_idx on auth.mfa_factors (user_id);

create table if not exists auth.mfa_challenges (
  id uuid primary key,
  factor_id uuid not null references auth.mfa_factors on delete cascade,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null
);
create index if not exists mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

-- State of a sign-in at an external provider: the redirect URL and the account to link to.
-- provider_verifier, provider_nonce and provider_identity do not exist in GoTrue.
alter table auth.flow_state
  add column if not exists referrer text,
  add column if not exists linking_target_id uuid,
  add column if not exists provider_access_token text,
  add column if not exists provider_refresh_token text,
  add column if not exists provider_verifier text,
  add column if not exists provider_nonce text,
  add column if not exists provider_identity jsonb;

-- Notifies every server to check the permissions of the user's sockets.
create or replace function auth.notify_revoked() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_table_name = 'sessions' then
    perform pg_notify('realtime', 'revoked ' || old.user_id);
  else
    perform pg_notify('realtime', 'revoked ' || new.id);
  end if;
  return null;
end
$$;
create or replace trigger notify_revoked after delete on auth.sessions
  for each row execute function auth.notify_revoked();
create or replace trigger notify_revoked after update of banned_until on auth.users
  for each row when (new.banned_until is not null) execute function auth.notify_revoked();
`;
