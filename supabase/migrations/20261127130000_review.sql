-- Corrections to invitations, assets and collections.

-- Whoever is removed from a project, or becomes a viewer, is no longer offered its ownership either.
create or replace function private.exclude_from_invitations(project uuid, member uuid, role text)
returns void language sql volatile set search_path = '' as $$
  update public.invitations i set
    excluded_users = array_append(array_remove(i.excluded_users, member), member),
    revoked_at = case when i.invited_user = member then now() end
  where i.project_id = project and private.is_pending(i)
    and (i.role <> 'owner' or i.invited_user = member)
    and (exclude_from_invitations.role is null or i.role <> exclude_from_invitations.role)
    -- Else an owner could fill the array with ids of nobody.
    and exists (select from public.profiles p where p.id = member)
$$;

-- Metadata of an object isn't part of the quota: up to 64 KiB a file on the embedded backend.
alter policy "people add assets of their own" on storage.objects
  with check (
    bucket_id = 'assets' and coalesce(user_metadata, '{}'::jsonb) = '{}'::jsonb
    and private.may_add_asset(name, metadata)
  );

-- A cover may be an unlisted project in a public collection, and add_to_collection takes ids: who
-- reads the cover's id finds the project. Only the owner reads it, by read_collection.
revoke select on public.collections from anon, authenticated;
grant select (id, owner_id, slug, title, description, visibility, created_at, updated_at)
  on public.collections to anon, authenticated;

create function private.collection_cover(collection uuid) returns uuid
language sql stable security definer set search_path = '' as $$
  select c.cover_id from public.collections c where c.id = collection_cover.collection
$$;

-- As before, for callers who can't read `cover_id`.
create or replace function public.list_collections(owner uuid, project uuid default null)
returns jsonb
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
         where i.collection_id = c.id and i.project_id = private.collection_cover(c.id)),
        (select i.project_id from public.collection_items i
         where i.collection_id = c.id order by i.position, i.project_id limit 1)))
    ) order by c.updated_at desc), '[]'::jsonb)
  from (
    select k.id, k.slug, k.title, k.description, k.visibility, k.updated_at
    from public.collections k where k.owner_id = list_collections.owner
    order by k.updated_at desc limit 200
  ) c
$$;

-- As before; `cover_id` is null for everyone but the owner.
create or replace function private.read_collection(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', c.id, 'slug', c.slug, 'title', c.title, 'description', c.description,
    'visibility', c.visibility, 'created_at', c.created_at, 'updated_at', c.updated_at,
    'cover_id', case when c.owner_id = (select private.person()) then c.cover_id end,
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

grant create on schema private to vitrine_writer;
alter function private.collection_cover(uuid) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;
revoke execute on function private.collection_cover(uuid) from public, anon, authenticated;
grant execute on function private.collection_cover(uuid) to anon, authenticated;
