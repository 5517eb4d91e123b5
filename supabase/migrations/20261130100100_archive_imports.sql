-- Imports of account archives change only what an earlier import of the same archive created. They find
-- it by keys that are made from the archive's account and ids, which no project of a draft has.
-- Collections get such keys, too.

alter table public.collections add column creation_key uuid;
alter table public.collections add unique (owner_id, creation_key);
grant insert (creation_key) on public.collections to vitrine_writer;

-- Creates a collection with these projects: { id, slug }. A call with a key that was used before returns
-- the collection that is there, as it is.
drop function public.create_collection(text, text, uuid[]);
drop function private.create_collection(text, text, uuid[]);
create function private.create_collection(title text, visibility text, projects uuid[], key uuid)
returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  me constant uuid := private.person();
  made record;
begin
  perform private.require_active();
  perform pg_advisory_xact_lock(hashtextextended('create_collection ' || me, 0));
  select c.id, c.slug into made from public.collections c
    where c.owner_id = me and c.creation_key = create_collection.key;
  if not found then
    perform private.limit_attempts('create_collection');
    if not coalesce(private.is_title(create_collection.title), false) then
      perform private.refuse(422, 'title_required');
    end if;
    insert into public.collections as c (owner_id, title, visibility, creation_key)
      values (me, create_collection.title, coalesce(create_collection.visibility, 'private'),
        create_collection.key)
      returning c.id, c.slug into made;
    perform private.add_to_collection(made.id, coalesce(create_collection.projects, '{}'));
  end if;
  return jsonb_build_object('id', made.id, 'slug', made.slug);
exception
  when check_violation then
    perform private.refuse(422, 'bad_request', sqlerrm);
end
$$;
create function public.create_collection(
  title text, visibility text default 'private', projects uuid[] default '{}',
  key uuid default null
) returns jsonb
language sql set search_path = '' as $$
  select private.create_collection(title, visibility, projects, key)
$$;

-- What the user asking has created under these keys, of which there are at most 500:
--   { projects { KEY: { id, visibility, is_in_trash, versions [{ number, message }] } },
--     collections { KEY: { id, visibility } } }
-- `versions` are the named ones, oldest first.
create function private.find_created(keys uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.limit_array(keys, 500);
  return jsonb_build_object(
    'projects', (
      select coalesce(jsonb_object_agg(p.creation_key, jsonb_build_object(
        'id', p.id, 'visibility', p.visibility, 'is_in_trash', p.trashed_at is not null,
        'versions', (
          select coalesce(jsonb_agg(
            jsonb_build_object('number', v.number, 'message', v.message) order by v.number), '[]')
          from public.project_versions v where v.project_id = p.id and v.reason = 'named'
        ))), '{}')
      from public.projects p
      where p.owner_id = private.person() and p.creation_key = any (keys)
    ),
    'collections', (
      select coalesce(jsonb_object_agg(c.creation_key, jsonb_build_object(
        'id', c.id, 'visibility', c.visibility)), '{}')
      from public.collections c
      where c.owner_id = private.person() and c.creation_key = any (keys)
    ));
end
$$;
create function public.find_created(keys uuid[]) returns jsonb
language sql stable set search_path = '' as $$ select private.find_created(keys) $$;

grant create on schema private to vitrine_writer;
alter function private.create_collection(text, text, uuid[], uuid) owner to vitrine_writer;
alter function private.find_created(uuid[]) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;
revoke execute on function
  private.create_collection(text, text, uuid[], uuid),
  public.create_collection(text, text, uuid[], uuid),
  private.find_created(uuid[]), public.find_created(uuid[])
  from public, anon, authenticated;
grant execute on function
  private.create_collection(text, text, uuid[], uuid),
  public.create_collection(text, text, uuid[], uuid),
  private.find_created(uuid[]), public.find_created(uuid[])
  to authenticated;
