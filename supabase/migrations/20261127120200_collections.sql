-- Collections: projects in an order, with a note for each.

create table public.collections (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references public.profiles (id) on delete cascade,
  -- Not made from the title: an unlisted collection is as hidden as its slug is hard to guess.
  slug text not null unique default private.new_slug(),
  title text not null constraint title_required check (private.is_title(title)),
  description text not null default ''
    constraint description_too_long check (char_length(description) <= 5000),
  visibility text not null default 'private' check (visibility in ('private', 'unlisted', 'public')),
  -- The project whose picture stands for the collection; the first one if it's null or not shown.
  cover_id uuid references public.projects (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index collections_owner on public.collections (owner_id, updated_at desc);
create index collections_cover on public.collections (cover_id);

create table public.collection_items (
  collection_id uuid not null references public.collections (id) on delete cascade,
  project_id uuid not null references public.projects (id) on delete cascade,
  position int not null,
  note text not null default '' constraint note_too_long check (char_length(note) <= 500),
  created_at timestamptz not null default now(),
  primary key (collection_id, project_id)
);
create index collection_items_project on public.collection_items (project_id);

alter table public.collections enable row level security;
alter table public.collection_items enable row level security;
revoke all on public.collections, public.collection_items from anon, authenticated;
grant select on public.collections, public.collection_items
  to anon, authenticated, vitrine_writer;
grant update (title, description, visibility, cover_id), delete on public.collections
  to authenticated;
grant update (note) on public.collection_items to authenticated;
grant insert (owner_id, title, description, visibility), update (updated_at)
  on public.collections to vitrine_writer;
grant insert (collection_id, project_id, position), update (position), delete
  on public.collection_items to vitrine_writer;
grant all on public.collections, public.collection_items to service_role;
grant execute on function private.is_title(text) to vitrine_writer;

create policy "everyone sees public collections" on public.collections
  for select to anon, authenticated, vitrine_writer using (visibility = 'public');
create policy "users see their own collections" on public.collections
  for select to anon, authenticated, vitrine_writer
  using (owner_id = (select private.person()));
create policy "a link opens an unlisted collection" on public.collections
  for select to vitrine_writer using (visibility = 'unlisted');
create policy "users create their own collections" on public.collections
  for insert to vitrine_writer
  with check (owner_id = (select private.person()) and (select private.active_role()) is not null);
create policy "owners change their collections" on public.collections
  for update to authenticated, vitrine_writer
  using (owner_id = (select private.person()) and (select private.active_role()) is not null)
  with check (owner_id = (select private.person()) and (select private.active_role()) is not null);
create policy "owners delete their collections" on public.collections
  for delete to authenticated
  using (owner_id = (select private.person()) and (select private.active_role()) is not null);

-- A collection shows nobody a project that they couldn't see without it. Its owner also sees the rows
-- of projects that are gone from their sight, to remove them.
create policy "who sees a collection and a project sees that it has it" on public.collection_items
  for select to anon, authenticated, vitrine_writer
  using (
    exists (
      select from public.collections c
      where c.id = collection_id and (
        c.owner_id = (select private.person())
        or exists (select from public.projects p where p.id = project_id)
      )
    )
  );
create policy "owners add to their collections" on public.collection_items
  for insert to vitrine_writer
  with check (
    (select private.active_role()) is not null
    and exists (select from public.collections c
                where c.id = collection_id and c.owner_id = (select private.person()))
    and exists (select from public.projects p where p.id = project_id)
  );
create policy "owners change what is in their collections" on public.collection_items
  for update to authenticated, vitrine_writer
  using (
    (select private.active_role()) is not null
    and exists (select from public.collections c
                where c.id = collection_id and c.owner_id = (select private.person()))
  )
  with check (
    (select private.active_role()) is not null
    and exists (select from public.collections c
                where c.id = collection_id and c.owner_id = (select private.person()))
  );
create policy "owners remove from their collections" on public.collection_items
  for delete to vitrine_writer
  using (
    (select private.active_role()) is not null
    and exists (select from public.collections c
                where c.id = collection_id and c.owner_id = (select private.person()))
  );
create trigger touch before update on public.collections
  for each row execute function private.touch();

-- 500 projects a collection, whoever writes.
create function private.check_collection_size() returns trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from public.collection_items i
    where i.collection_id in (select c.collection_id from changed c)
    group by i.collection_id having count(*) > 500
  ) then
    perform private.refuse(422, 'collection_full', '500 projects');
  end if;
  return null;
end
$$;
create trigger check_collection_size after insert on public.collection_items
  referencing new table as changed
  for each statement execute function private.check_collection_size();

-- Locks one of the caller's own collections, so that two calls can't both take the next position.
create function private.lock_collection(collection uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require_active();
  update public.collections c set updated_at = now()
    where c.id = lock_collection.collection and c.owner_id = private.person();
  if not found then
    perform private.refuse(404, 'not_found_or_private');
  end if;
end
$$;

-- Adds projects that the caller may see, at the end, in this order. Returns how many are new in it.
create function private.add_to_collection(collection uuid, projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  added int;
begin
  perform private.lock_collection(collection);
  insert into public.collection_items (collection_id, project_id, position)
    select add_to_collection.collection, p.id, (
        select coalesce(max(i.position), 0) from public.collection_items i
        where i.collection_id = add_to_collection.collection
      ) + wanted.place
    from unnest(add_to_collection.projects) with ordinality wanted (id, place)
      join public.projects p on p.id = wanted.id
    on conflict do nothing;
  get diagnostics added = row_count;
  return added;
end
$$;
create function public.add_to_collection(collection uuid, projects uuid[]) returns int
language sql set search_path = '' as $$ select private.add_to_collection(collection, projects) $$;

create function private.remove_from_collection(collection uuid, projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  removed int;
begin
  perform private.lock_collection(collection);
  delete from public.collection_items i
    where i.collection_id = remove_from_collection.collection
      and i.project_id = any (remove_from_collection.projects);
  get diagnostics removed = row_count;
  return removed;
end
$$;
create function public.remove_from_collection(collection uuid, projects uuid[]) returns int
language sql set search_path = '' as $$
  select private.remove_from_collection(collection, projects)
$$;

-- Puts projects in this order. Those that it doesn't name, as others have just been added, follow.
create function private.order_collection(collection uuid, projects uuid[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_collection(collection);
  update public.collection_items i set position = ordered.position
    from (
      select j.project_id, row_number() over (
          order by array_position(order_collection.projects, j.project_id) nulls last,
            j.position, j.project_id) as position
      from public.collection_items j where j.collection_id = order_collection.collection
    ) ordered
    where i.collection_id = order_collection.collection and i.project_id = ordered.project_id
      and i.position <> ordered.position;
end
$$;
create function public.order_collection(collection uuid, projects uuid[]) returns void
language sql set search_path = '' as $$ select private.order_collection(collection, projects) $$;

-- Creates a collection with these projects: { id, slug }.
create function private.create_collection(title text, visibility text, projects uuid[])
returns jsonb
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  me constant uuid := private.person();
  made record;
begin
  perform private.require_active();
  -- One at a time for each user, so that the hourly count counts all.
  perform pg_advisory_xact_lock(hashtextextended('create_collection ' || me, 0));
  if (select count(*) from public.collections c
      where c.owner_id = me and c.created_at > now() - interval '1 hour') >= 60 then
    perform private.refuse(429, 'rate_limited', '60 new collections an hour');
  end if;
  if not coalesce(private.is_title(create_collection.title), false) then
    perform private.refuse(422, 'title_required');
  end if;
  insert into public.collections as c (owner_id, title, visibility)
    values (me, create_collection.title, coalesce(create_collection.visibility, 'private'))
    returning c.id, c.slug into made;
  perform private.add_to_collection(made.id, coalesce(create_collection.projects, '{}'));
  return jsonb_build_object('id', made.id, 'slug', made.slug);
exception
  when check_violation then
    perform private.refuse(422, 'bad_request', sqlerrm);
end
$$;
create function public.create_collection(
  title text, visibility text default 'private', projects uuid[] default '{}'
) returns jsonb
language sql set search_path = '' as $$
  select private.create_collection(title, visibility, projects)
$$;

-- A user's collections that the caller finds in lists, latest changes first: [{ id, slug, title,
-- description, visibility, updated_at, count, has_project, excerpt }]. `count` is of the projects that
-- the caller may see; `has_project` says whether `project` is in it.
create function public.list_collections(owner uuid, project uuid default null) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'id', c.id, 'slug', c.slug, 'title', c.title, 'description', c.description,
      'visibility', c.visibility, 'updated_at', c.updated_at,
      'count', (select count(*) from public.collection_items i where i.collection_id = c.id),
      'has_project', exists (
        select from public.collection_items i
        where i.collection_id = c.id and i.project_id = list_collections.project),
      'excerpt', private.find_excerpt(coalesce(
        (select i.project_id from public.collection_items i
         where i.collection_id = c.id and i.project_id = c.cover_id),
        (select i.project_id from public.collection_items i
         where i.collection_id = c.id order by i.position, i.project_id limit 1)))
    ) order by c.updated_at desc), '[]'::jsonb)
  from (
    select k.* from public.collections k where k.owner_id = list_collections.owner
    order by k.updated_at desc limit 200
  ) c
$$;

-- A collection by its slug, for whoever may see it by link, else null:
--   { id, slug, title, description, visibility, created_at, updated_at, cover_id,
--     owner { id, username, display_name, avatar_path },
--     items [{ id, note, project { slug, title, visibility, username, excerpt } }] }
--
-- Unlisted projects are in it for their owners and for those who have the collection by link, if they
-- belong to its owner: nobody lists another's unlisted project. For the collection's owner, `project`
-- is null where it's gone from their sight.
create function private.read_collection(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', c.id, 'slug', c.slug, 'title', c.title, 'description', c.description,
    'visibility', c.visibility, 'created_at', c.created_at, 'updated_at', c.updated_at,
    'cover_id', c.cover_id,
    'owner', jsonb_build_object(
      'id', o.id, 'username', o.username, 'display_name', o.display_name,
      'avatar_path', o.avatar_path),
    'items', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', i.project_id, 'note', i.note,
        'project', case when p.id is not null then jsonb_build_object(
          'slug', p.slug, 'title', p.title, 'visibility', p.visibility, 'username', w.username,
          'excerpt', private.find_excerpt(p.id)) end
      ) order by i.position, i.project_id)
      from public.collection_items i
        left join public.projects p on p.id = i.project_id and p.trashed_at is null and (
          (p.visibility = 'public' and p.hidden_at is null)
          or p.owner_id = (select private.person())
          or p.id in (select m.project_id from public.project_members m
                      where m.user_id = (select private.person()))
          or (p.visibility = 'unlisted' and p.hidden_at is null and (
            c.owner_id = (select private.person())
            or (p.owner_id = c.owner_id and c.visibility = 'unlisted')))
        )
        left join public.profiles w on w.id = p.owner_id
      where i.collection_id = c.id and (p.id is not null or c.owner_id = (select private.person()))
    ), '[]'::jsonb)
  )
  from public.collections c join public.profiles o on o.id = c.owner_id
  where c.slug = read_collection.slug
$$;
create function public.read_collection(slug text) returns jsonb
language sql stable set search_path = '' as $$ select private.read_collection(slug) $$;

grant create on schema private to vitrine_writer;
alter function private.add_to_collection(uuid, uuid[]) owner to vitrine_writer;
alter function private.remove_from_collection(uuid, uuid[]) owner to vitrine_writer;
alter function private.order_collection(uuid, uuid[]) owner to vitrine_writer;
alter function private.create_collection(text, text, uuid[]) owner to vitrine_writer;
alter function private.read_collection(text) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.check_collection_size(), private.lock_collection(uuid),
  private.add_to_collection(uuid, uuid[]), public.add_to_collection(uuid, uuid[]),
  private.remove_from_collection(uuid, uuid[]), public.remove_from_collection(uuid, uuid[]),
  private.order_collection(uuid, uuid[]), public.order_collection(uuid, uuid[]),
  private.create_collection(text, text, uuid[]), public.create_collection(text, text, uuid[]),
  public.list_collections(uuid, uuid), private.read_collection(text), public.read_collection(text)
  from public, anon, authenticated;
grant execute on function private.lock_collection(uuid) to vitrine_writer;
grant execute on function
  private.add_to_collection(uuid, uuid[]), public.add_to_collection(uuid, uuid[]),
  private.remove_from_collection(uuid, uuid[]), public.remove_from_collection(uuid, uuid[]),
  private.order_collection(uuid, uuid[]), public.order_collection(uuid, uuid[]),
  private.create_collection(text, text, uuid[]), public.create_collection(text, text, uuid[])
  to authenticated;
grant execute on function
  public.list_collections(uuid, uuid), private.read_collection(text), public.read_collection(text)
  to anon, authenticated;
grant execute on function private.find_excerpt(uuid) to anon, vitrine_writer;
