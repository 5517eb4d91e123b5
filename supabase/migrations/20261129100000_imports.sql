-- Imports from links, each of which lets the server download up to 100 MB.

-- All limits: `most` in any `period`. A test compares them with packages/project/src/limits.ts.
create or replace function private.find_limit(action text, out most bigint, out period interval)
language sql immutable set search_path = '' as $$
  select l.most, l.period
  from (values
    ('create_project', 60, interval '1 hour'),
    ('create_version', 200, interval '1 hour'),
    ('create_collection', 60, interval '1 hour'),
    ('invite', 60, interval '1 hour'),
    -- Invitations that one user gets, and mails to one address, whoever sends them.
    ('invite_user', 50, interval '1 day'),
    ('mail_address', 10, interval '1 day'),
    -- Bytes of documents: states and updates.
    ('save', 536870912, interval '1 hour'),
    -- A class of visitors shares an address.
    ('import', 60, interval '1 hour'),
    ('import_address', 120, interval '1 hour')
  ) l (action, most, period)
  where l.action = find_limit.action
$$;

-- Counts an import from a link: of a user, or of the network address of a visitor, for whom `account`
-- is null. False at the limit. Called by the function import-project.
create function public.count_import(account uuid, address text) returns boolean
language sql set search_path = '' as $$
  select case
    when account is null then private.count_attempt(
      'import_address', encode(sha256(convert_to(address, 'UTF8')), 'hex'))
    else private.count_attempt('import', account::text)
  end
$$;
revoke execute on function public.count_import(uuid, text) from public, anon, authenticated;
grant execute on function public.count_import(uuid, text) to service_role;
grant execute on function private.count_attempt(text, text, bigint) to service_role;
