/**
 * SQL functions that check access for realtime in the role of other users: what may they do in a
 * channel, and which changed rows may they see? Both switch between users within one statement, as
 * a transaction per user would cost most of the time. Runs as supabase_realtime_admin, which may
 * switch to anon, authenticated and service_role, and owns `realtime.messages`.
 */
export const realtimeAccessSql = `
-- asks: [{topic, role, claims}]. Returns in the same order which of 'read broadcast', 'write
-- broadcast', 'read presence' and 'write presence' the policies on realtime.messages allow. Inserts
-- rows: call it in a transaction that is rolled back.
create or replace function realtime.find_rights(asks jsonb) returns table (number int, rights text[])
language plpgsql as $$
declare
  ask jsonb;
  probes uuid[];
  extension_name text;
  found_rights text[];
begin
  for n in 0 .. jsonb_array_length(asks) - 1 loop
    ask := asks -> n;
    found_rights := '{}';
    begin
      perform set_config('role', 'none', true);
      probes := array[gen_random_uuid(), gen_random_uuid()];
      insert into realtime.messages (id, topic, extension, private)
      values (probes[1], ask ->> 'topic', 'broadcast', true),
        (probes[2], ask ->> 'topic', 'presence', true);
      perform set_config('role', ask ->> 'role', true),
        set_config('request.jwt.claims', ask ->> 'claims', true),
        set_config('realtime.topic', ask ->> 'topic', true);
      select coalesce(array_agg('read ' || m.extension), '{}') into found_rights
      from realtime.messages m where m.id = any (probes);
      foreach extension_name in array array['broadcast', 'presence'] loop
        begin
          insert into realtime.messages (topic, extension, private)
          values (ask ->> 'topic', extension_name, true);
          found_rights := found_rights || ('write ' || extension_name);
        exception when insufficient_privilege then
          null; -- Which is the answer.
        end;
      end loop;
    exception when others then
      -- A policy that throws allows nothing, and does not affect the other users.
      found_rights := array['failed ' || sqlstate];
    end;
    number := n;
    rights := found_rights;
    return next;
  end loop;
  perform set_config('role', 'none', true);
end
$$;
revoke all on function realtime.find_rights(jsonb) from public;

-- Formats the filters of a subscription, [{column, op, value, negate}], as a condition on r.
create or replace function realtime.format_filters(relation oid, filters jsonb) returns text
language plpgsql stable set search_path = '' as $$
declare
  filter jsonb;
  type_name text;
  condition text;
  conditions text[] := '{}';
begin
  for filter in select value from jsonb_array_elements(filters) loop
    select format_type(atttypid, atttypmod) into type_name from pg_catalog.pg_attribute
    where attrelid = relation and attname = filter ->> 'column' and attnum > 0 and not attisdropped;
    if type_name is null then
      raise exception 'invalid column for filter %', filter ->> 'column';
    end if;
    condition := case filter ->> 'op'
      when 'is' then format('r.%I is %s', filter ->> 'column', filter ->> 'value')
      when 'isdistinct' then format('r.%I is distinct from %L::%s', filter ->> 'column', filter ->> 'value', type_name)
      when 'in' then format('r.%I = any (%L::text[]::%s[])', filter ->> 'column',
        array(select jsonb_array_elements_text(filter -> 'value')), type_name)
      else format('r.%I %s %L%s', filter ->> 'column', case filter ->> 'op'
          when 'eq' then '=' when 'neq' then '<>' when 'lt' then '<' when 'lte' then '<='
          when 'gt' then '>' when 'gte' then '>=' when 'like' then 'like' when 'ilike' then 'ilike'
          when 'match' then '~' when 'imatch' then '~*' end,
        filter ->> 'value',
        case when filter ->> 'op' in ('like', 'ilike', 'match', 'imatch') then '' else '::' || type_name end)
    end;
    conditions := conditions || case when (filter ->> 'negate')::boolean then format('not (%s)', condition) else condition end;
  end loop;
  return coalesce(nullif(array_to_string(conditions, ' and '), ''), 'true');
end
$$;

-- Returns null when the subscription is valid, otherwise the error.
create or replace function realtime.judge_interest(interest jsonb) returns text
language plpgsql set search_path = '' as $$
declare
  relation oid;
  filter jsonb;
begin
  select c.oid into relation
  from pg_catalog.pg_publication_tables p
  join pg_catalog.pg_namespace n on n.nspname = p.schemaname
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
  where p.pubname = 'supabase_realtime'
    and interest ->> 'schema' in ('*', p.schemaname) and interest ->> 'table' in ('*', p.tablename)
  limit 1;
  if relation is null then
    return 'the table is not in the publication supabase_realtime';
  end if;
  if jsonb_array_length(interest -> 'filters') = 0 then
    return null;
  end if;
  if '*' in (interest ->> 'schema', interest ->> 'table') then
    return 'a filter needs a table';
  end if;
  for filter in select value from jsonb_array_elements(interest -> 'filters') loop
    if not exists (
      select from pg_catalog.pg_attribute a
      where a.attrelid = relation and a.attname = filter ->> 'column' and a.attnum > 0
        and not a.attisdropped
        and has_column_privilege(interest ->> 'role', a.attrelid, a.attnum, 'select')
    ) then
      return format('invalid column for filter %s', filter ->> 'column');
    end if;
  end loop;
  perform set_config('role', interest ->> 'role', true);
  execute format('select from jsonb_populate_record(null::%s, ''{}'') r where %s',
    relation::regclass, realtime.format_filters(relation, interest -> 'filters'));
  perform set_config('role', 'none', true);
  return null;
exception when others then
  return sqlerrm;
end
$$;

-- changes: seq of the outbox; interests: [{number, schema, table, event, filters, columns, role,
-- claims}]. Returns a row per body of a change, with the subscriptions that receive it: those whose
-- filters match the row and whose role, with these claims, can select it from the table. A deleted
-- row cannot be selected any more: with row-level security, only its primary key is sent.
create or replace function realtime.find_readers(changes bigint[], interests jsonb)
returns table (change_number bigint, body text, readers int[])
language plpgsql set search_path = '' as $$
#variable_conflict use_column
declare
  change_seq bigint;
  change record;
  entity text;
  own_row text;
  old_row jsonb;
  kinds record;
  interest jsonb;
  seen_as text;
  is_seen boolean;
  passes boolean;
  found_readers int[];
begin
  foreach change_seq in array changes loop
    perform set_config('role', 'none', true);
    select o.*, n.nspname, c.relname, c.relrowsecurity, c.relreplident, array(
        select a.attname::text from pg_catalog.pg_index i
        join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = o.relation and i.indisprimary
      ) as key_names
    into change
    from realtime.outbox o
    join pg_catalog.pg_class c on c.oid = o.relation
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where o.seq = change_seq;
    continue when not found;
    entity := format('%I.%I', change.nspname, change.relname);
    select string_agg(format('t.%I = %L::%s', a.attname, change.record ->> a.attname::text,
        format_type(a.atttypid, a.atttypmod)), ' and ') into own_row
    from pg_catalog.pg_attribute a
    where a.attrelid = change.relation and a.attname = any (change.key_names);
    -- As replication would send it: the key, or all columns with "replica identity full".
    select jsonb_object_agg(e.key, e.value) into old_row from jsonb_each(change.old_record) e
    where e.key = any (change.key_names)
      or (change.relreplident = 'f' and not (change.operation = 'DELETE' and change.relrowsecurity));

    for kinds in
      select i ->> 'role' as role, i -> 'columns' as columns,
        array_agg(i order by i ->> 'claims') as interests
      from jsonb_array_elements(interests) i
      where i ->> 'schema' in ('*', change.nspname) and i ->> 'table' in ('*', change.relname)
        and i ->> 'event' in ('*', change.operation)
      group by 1, 2
    loop
      found_readers := '{}';
      seen_as := null;
      foreach interest in array kinds.interests loop
        begin
          perform set_config('role', kinds.role, true),
            set_config('request.jwt.claims', interest ->> 'claims', true);
          if seen_as is distinct from interest ->> 'claims' then
            seen_as := interest ->> 'claims';
            is_seen := false;
            if change.operation = 'DELETE' or own_row is null then
              is_seen := has_any_column_privilege(kinds.role, change.relation, 'select');
            else
              execute format('select exists (select from %s t where %s)', entity, own_row) into is_seen;
            end if;
          end if;
          passes := is_seen;
          if is_seen and jsonb_array_length(interest -> 'filters') > 0 then
            execute format('select exists (select from jsonb_populate_record(null::%s, $1) r where %s)',
              entity, realtime.format_filters(change.relation, interest -> 'filters'))
              into passes using coalesce(change.record, old_row, '{}');
          end if;
          if passes then
            found_readers := found_readers || (interest ->> 'number')::int;
          end if;
        exception when others then
          -- The table is not accessible, or a policy throws: sees nothing.
          is_seen := false;
        end;
      end loop;
      perform set_config('role', 'none', true);
      continue when found_readers = '{}';
      change_number := change_seq;
      readers := found_readers;
      body := realtime.describe_change(change.relation, kinds.role, kinds.columns, change.key_names,
        change.record, old_row, jsonb_build_object('schema', change.nspname, 'table', change.relname,
          'type', change.operation, 'commit_timestamp',
          to_char(change.noted_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::text;
      return next;
    end loop;
  end loop;
end
$$;
revoke all on function realtime.find_readers(bigint[], jsonb) from public;

-- The body of a change for a role: the columns that it may read, and of those the requested ones
-- and the primary key. Above 1 MiB only short values.
create or replace function realtime.describe_change(
  relation oid, role_name text, wanted jsonb, key_names text[], record jsonb, old_row jsonb, head jsonb
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  told text[];
  is_large boolean := octet_length(record::text) + coalesce(octet_length(old_row::text), 0) > 1048576;
  told_columns jsonb;
begin
  select array_agg(a.attname::text), jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname) order by a.attnum)
  into told, told_columns
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
  where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(role_name, relation, a.attnum, 'select')
    and (wanted is null or wanted = 'null' or wanted ? a.attname::text or a.attname = any (key_names));
  head := head || jsonb_build_object('columns', told_columns, 'errors', case
    when is_large then jsonb_build_array('Error 413: Payload Too Large')
    when key_names = '{}' and record is not null then jsonb_build_array('Error 400: Bad Request, no primary key')
  end);
  if key_names = '{}' and record is not null then
    return head;
  end if;
  if record is not null then
    head := head || jsonb_build_object('record', (select coalesce(jsonb_object_agg(e.key, e.value), '{}')
      from jsonb_each(record) e where e.key = any (told) and (not is_large or octet_length(e.value::text) <= 64)));
  end if;
  if old_row is not null then
    head := head || jsonb_build_object('old_record', (select coalesce(jsonb_object_agg(e.key, e.value), '{}')
      from jsonb_each(old_row) e where e.key = any (told) and (not is_large or octet_length(e.value::text) <= 64)));
  end if;
  return head;
end
$$;
revoke all on function realtime.describe_change(oid, text, jsonb, text[], jsonb, jsonb, jsonb) from public;
revoke all on function realtime.judge_interest(jsonb) from public;
`;
