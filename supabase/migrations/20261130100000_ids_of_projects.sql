-- Ids of projects: whoever has the id of a project needn't have its link, and learns nothing from it.
--
-- To vitrine_writer, a link opens an unlisted project, and a policy can't tell a link from an id. So
-- functions that take ids also ask whether the user finds the project without its link.

-- Whether the user asking finds this project without a link: it's public, theirs or shared with them,
-- or they moderate. Among those that the current role sees.
create function private.finds_project(project uuid) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.projects p
    where p.id = finds_project.project and (
      p.visibility <> 'unlisted' or private.works_on(p.id)
      or private.active_role() in ('moderator', 'admin')
    )
  )
$$;

create or replace function private.require_editor(project uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require_active();
  if not private.finds_project(project) then
    perform private.refuse(404, 'not_found_or_private');
  elsif not private.may_edit(project) then
    perform private.refuse(403, 'not_allowed');
  end if;
end
$$;

create or replace function private.open_people(project uuid, must_own boolean) returns text
language plpgsql set search_path = '' as $$
declare
  held constant text := private.project_role(project);
begin
  if held is null or (must_own and held <> 'owner') then
    if private.finds_project(project) then
      perform private.refuse(403, 'not_allowed');
    end if;
    perform private.refuse(404, 'not_found_or_private');
  end if;
  perform set_config('vitrine.project', project::text, true);
  return held;
end
$$;

-- Collections have projects that are public, their owner's, or shared with them.
alter policy "owners add to their collections" on public.collection_items
  with check (
    (select private.active_role()) is not null
    and exists (select from public.collections c
                where c.id = collection_id and c.owner_id = (select private.person()))
    and exists (
      select from public.projects p
      where p.id = project_id and (
        p.visibility = 'public'
        or p.owner_id = (select private.person())
        or p.id in (select m.project_id from public.project_members m
                    where m.user_id = (select private.person()))
      )
    )
  );

create or replace function private.add_to_collection(collection uuid, projects uuid[]) returns int
language plpgsql security definer set search_path = '' as $$
declare
  added int;
begin
  perform private.limit_array(projects, 500);
  perform private.lock_collection(collection);
  insert into public.collection_items (collection_id, project_id, position)
    select add_to_collection.collection, p.id, (
        select coalesce(max(i.position), 0) from public.collection_items i
        where i.collection_id = add_to_collection.collection
      ) + wanted.place
    from unnest(add_to_collection.projects) with ordinality wanted (id, place)
      join public.projects p on p.id = wanted.id
    where p.visibility = 'public' or private.works_on(p.id)
    on conflict do nothing;
  get diagnostics added = row_count;
  return added;
end
$$;

-- As before, without unlisted projects of others, which not even the collection's owner sees, and
-- without a cover that has left the collection.
create or replace function private.read_collection(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', c.id, 'slug', c.slug, 'title', c.title, 'description', c.description,
    'visibility', c.visibility, 'created_at', c.created_at, 'updated_at', c.updated_at,
    'cover_id', (
      select i.project_id from public.collection_items i
      where i.collection_id = c.id and i.project_id = c.cover_id
        and c.owner_id = (select private.person())),
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
          or (p.visibility = 'unlisted' and p.hidden_at is null
            and p.owner_id = c.owner_id and c.visibility = 'unlisted')
        )
        left join public.profiles w on w.id = p.owner_id
      where i.collection_id = c.id and (p.id is not null or c.owner_id = (select private.person()))
    ), '[]'::jsonb)
  )
  from public.collections c join public.profiles o on o.id = c.owner_id
  where c.slug = read_collection.slug
$$;

-- As before, with a poster only if the current role sees the project: find_poster sees all, and a
-- collection's owner keeps the rows of projects that are gone from their sight.
create or replace function private.find_excerpt(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select case when found.poster is not null or file.path is not null then jsonb_strip_nulls(
    jsonb_build_object('path', file.path, 'text', file.text, 'poster', found.poster)) end
  from (
    select (select private.find_poster(p.id) from public.projects p
            where p.id = find_excerpt.project) as poster
  ) found
  left join lateral (
    select f.path, left(f.content, 600) as text
    from public.project_files f
    where f.project_id = find_excerpt.project and f.content <> ''
      and f.path ~ '[.](jsx|tsx|vue|svelte|m?[jt]s|css|s[ac]ss|html?|md)$'
      and f.path !~ '[.](config|test|spec|d)[.]'
    order by case
        when f.path ~ '[.](jsx|tsx|vue|svelte)$' then 0
        when f.path ~ '[.]m?[jt]s$' then 1
        when f.path ~ '[.](css|s[ac]ss)$' then 2
        else 3
      end, octet_length(f.path), f.path collate pg_catalog."C"
    limit 1
  ) file on true
$$;

-- A cover is one of the collection's projects. The foreign key alone told whether an id is that of a
-- project. No foreign key to the items: requests that embed them would be ambiguous.
create function private.check_cover() returns trigger
language plpgsql set search_path = '' as $$
begin
  if not exists (
    select from public.collection_items i
    where i.collection_id = new.id and i.project_id = new.cover_id
  ) then
    perform private.refuse(422, 'bad_request', 'the cover is none of the collection''s projects');
  end if;
  return new;
end
$$;
create trigger check_cover before update of cover_id on public.collections
  for each row when (new.cover_id is not null and new.cover_id is distinct from old.cover_id)
  execute function private.check_cover();
update public.collections c set cover_id = null
  where c.cover_id is not null and not exists (
    select from public.collection_items i
    where i.collection_id = c.id and i.project_id = c.cover_id
  );

revoke execute on function private.finds_project(uuid), private.check_cover() from public, anon, authenticated;
grant execute on function private.finds_project(uuid) to service_role, vitrine_writer;
