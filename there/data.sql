-- For an empty project with all migrations applied: psql "$DATABASE_URL" -f data.sql
begin;
set local session_replication_role = replica;
do $$ begin
  if exists (select from auth.users) then raise exception 'This project already has accounts.'; end if;
end $$;
set local storage.allow_delete_query = 'true';
do $$
declare missing text;
begin
  for missing in
    select column_name from information_schema.columns
    where table_schema = 'auth' and table_name = 'users' and column_name in (
      'confirmation_token', 'recovery_token', 'email_change', 'email_change_token_new',
      'email_change_token_current', 'phone_change', 'phone_change_token', 'reauthentication_token')
  loop
    execute format('update auth.users set %1$I = '''' where %1$I is null', missing);
  end loop;
end $$;
commit;
