/**
 * The schema `realtime` of a hosted Supabase project, as far as policies and functions can use it.
 * Hosted projects have it before any migration, so no migration creates it. Runs as
 * supabase_realtime_admin and is idempotent.
 *
 * Triggers write everything that sockets must receive from the database (messages sent there,
 * changes of published tables) to `realtime.outbox`, in the same transaction, and notify servers of
 * the transaction's id by NOTIFY. So rolled-back changes are not sent, a server that was
 * disconnected for a moment misses nothing, and there is no replication slot that could fill the
 * disk: rows are only written when a server was connected within the last five minutes, and deleted
 * after five minutes.
 */
export const realtimeTablesSql = `
create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
);
create index if not exists messages_inserted_at on realtime.messages (inserted_at);
-- Permission checks insert rows that are rolled back, and left to vacuum.
alter table realtime.messages
  set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant usage on schema realtime to anon, authenticated, service_role;

create or replace function realtime.topic() returns text language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
) returns void language plpgsql as $$
declare
  new_id uuid := gen_random_uuid();
begin
  if not payload ? 'id' then
    payload := jsonb_set(payload, '{id}', to_jsonb(new_id));
  end if;
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (new_id, send.payload, send.event, send.topic, send.private, 'broadcast');
exception when others then
  -- As hosted: the caller's transaction continues.
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void language plpgsql as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(jsonb_build_object('old_record', old, 'record', new,
    'operation', operation, 'table', table_name, 'schema', table_schema), event_name, topic_name);
end
$$;

-- Connected servers. Without one, nothing is written to the outbox.
create table if not exists realtime.listeners (
  id uuid primary key,
  seen_at timestamptz not null default now()
);

create table if not exists realtime.outbox (
  seq bigint primary key generated always as identity,
  xact xid8 not null default pg_current_xact_id(),
  noted_at timestamptz not null default clock_timestamp(),
  -- For a change: the table, and the row before and after.
  relation oid,
  operation text,
  record jsonb,
  old_record jsonb,
  -- For a message.
  message_id uuid,
  topic text,
  event text,
  private boolean,
  payload jsonb,
  binary_payload bytea
);
-- Messages between servers: the sending server, and a message's frame or the presence of a channel.
alter table realtime.outbox add column if not exists sender uuid;
alter table realtime.outbox add column if not exists told jsonb;
create index if not exists outbox_xact on realtime.outbox (xact);
create index if not exists outbox_noted_at on realtime.outbox (noted_at);

create or replace function realtime.has_listener() returns boolean language sql stable as $$
  select exists (select from realtime.listeners where seen_at > now() - interval '5 minutes')
$$;

create or replace function realtime.note_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if realtime.has_listener() then
    insert into realtime.outbox (message_id, topic, event, private, payload, binary_payload)
    values (new.id, new.topic, new.event, coalesce(new.private, false), new.payload, new.binary_payload);
    perform pg_notify('realtime', 'message ' || pg_current_xact_id());
  end if;
  return null;
end
$$;
create or replace trigger note_message after insert on realtime.messages for each row
  when (new.extension = 'broadcast' and new.event is not null)
  execute function realtime.note_message();

-- Trigger on every table of the publication supabase_realtime (see followPublicationSql).
create or replace function realtime.note_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if realtime.has_listener() then
    insert into realtime.outbox (relation, operation, record, old_record) values (tg_relid, tg_op,
      case when tg_op <> 'DELETE' then to_jsonb(new) end,
      case when tg_op <> 'INSERT' then to_jsonb(old) end);
    perform pg_notify('realtime', 'change ' || pg_current_xact_id());
  end if;
  return null;
end
$$;
`;

/**
 * Keeps the change triggers on exactly the tables of the publication, with which tables are
 * selected on a hosted project. Runs as the database owner, who owns the tables, for
 * supabase_realtime_admin. Returns errors of single tables.
 */
export const publicationTriggersSql = `
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$$;

create or replace function vitrine_backend.follow_publication() returns setof text
language plpgsql security definer set search_path = '' set lock_timeout = '2s' as $$
declare
  item record;
begin
  perform pg_advisory_xact_lock(hashtext('vitrine publication'));
  for item in
    select coalesce(p.relation, t.tgrelid)::regclass as relation, p.relation is not null as wanted
    from (
      -- Uses the catalog: a cast to regclass may be evaluated for every table before the filter,
      -- and some tables may not be accessible.
      select c.oid as relation
      from pg_catalog.pg_publication_tables t
      join pg_catalog.pg_namespace n on n.nspname = t.schemaname
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
      where t.pubname = 'supabase_realtime' and n.nspname not in ('realtime', 'vitrine_backend')
    ) p
    full join (
      select tgrelid from pg_catalog.pg_trigger
      where tgname = 'realtime_changes' and tgparentid = 0
    ) t on t.tgrelid = p.relation
    where p.relation is null or t.tgrelid is null
  loop
    begin
      if item.wanted then
        execute format('create trigger realtime_changes after insert or update or delete on %s
          for each row execute function realtime.note_change()', item.relation);
      else
        execute format('drop trigger realtime_changes on %s', item.relation);
      end if;
    exception when others then
      return next format('%s: %s', item.relation, sqlerrm);
    end;
  end loop;
end
$$;
revoke all on function vitrine_backend.follow_publication() from public;
grant usage on schema vitrine_backend to supabase_realtime_admin;
grant execute on function vitrine_backend.follow_publication() to supabase_realtime_admin;
`;
