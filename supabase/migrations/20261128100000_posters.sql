-- Pictures of projects for their cards. A poster is the object `PROJECT/VERSION` of the private bucket
-- `posters`: the project's id and its published version, or 0 if there is none and others see the files
-- being edited. So publishing hides the poster of the working copy at once, and only the poster of what
-- others see is ever read. Editors' pages make them, from what their preview shows.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('posters', 'posters', false, 262144, array['image/webp'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- The project whose poster this object is now, among those that the current role sees: as vitrine_writer,
-- those that the person asking may open.
create function private.find_poster_project(object_name text) returns uuid
language sql stable set search_path = '' as $$
  select p.id from public.projects p
  where p.id = case when object_name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/'
      then left(object_name, 36)::uuid end
    and p.id || '/' || coalesce(p.published_version, 0) = object_name
$$;

-- Whether the person asking may read this poster by its name. A list would tell everyone which unlisted
-- projects there are, and a signed URL would outlive the access.
create function private.may_read_poster(object_name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(current_setting('storage.operation', true) in (
      'storage.object.get_authenticated', 'storage.object.get_authenticated_info',
      'storage.object.info_authenticated'), false)
    and private.find_poster_project(object_name) is not null
$$;

-- Whether the person asking may add or replace this poster. Signed uploads, moves and copies have rights of
-- their own later, or none to check.
create function private.may_write_poster(object_name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(current_setting('storage.operation', true) = 'storage.object.upload', false)
    and coalesce(private.may_edit(private.find_poster_project(object_name)), false)
$$;

create policy "people read posters of projects they see" on storage.objects
for select to anon, authenticated
using (bucket_id = 'posters' and private.may_read_poster(name));

-- Replacing an object begins with finding its row.
create policy "editors find the poster they replace" on storage.objects
for select to authenticated
using (bucket_id = 'posters' and private.may_write_poster(name));

create policy "editors add a poster" on storage.objects for insert to authenticated
with check (
  bucket_id = 'posters' and coalesce(user_metadata, '{}'::jsonb) = '{}'::jsonb
  and private.may_write_poster(name)
);

create policy "editors replace a poster" on storage.objects for update to authenticated
using (bucket_id = 'posters' and private.may_write_poster(name))
with check (
  bucket_id = 'posters' and coalesce(user_metadata, '{}'::jsonb) = '{}'::jsonb
  and private.may_write_poster(name)
);

-- `PROJECT/VERSION?v=…` of a project's poster, null without one. The part after `v` changes with each
-- picture. Only for projects that the caller sees.
create function private.find_poster(project uuid) returns text
language sql stable security definer set search_path = '' as $$
  select o.name || '?v=' || left(o.version, 8)
  from public.projects p join storage.objects o
    on o.bucket_id = 'posters' and o.name = p.id || '/' || coalesce(p.published_version, 0)
  where p.id = find_poster.project and o.version is not null
$$;

-- As before, with the project's `poster`. Only that if the caller reads no such file; null without both.
create or replace function private.find_excerpt(project uuid) returns jsonb
language sql stable set search_path = '' as $$
  select case when found.poster is not null or file.path is not null then jsonb_strip_nulls(
    jsonb_build_object('path', file.path, 'text', file.text, 'poster', found.poster)) end
  from (select private.find_poster(find_excerpt.project) as poster) found
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

-- Names of at most 1000 objects that are the poster of no project any more: it is deleted, or others see
-- another version. With `account`, also those that this deleted account has made for projects of others. The
-- caller deletes them through the storage service. A project that comes back to such a version meanwhile
-- gets another poster with its next save.
create function private.collect_posters(account uuid) returns setof text
language sql stable security definer set search_path = '' as $$
  select o.name from storage.objects o
  where o.bucket_id = 'posters' and (
    o.owner_id = collect_posters.account::text or not exists (
      select from public.projects p where p.id || '/' || coalesce(p.published_version, 0) = o.name
    )
  )
  limit 1000
$$;
create function public.collect_posters(account uuid default null) returns setof text
language sql stable set search_path = '' as $$ select private.collect_posters(account) $$;

grant create on schema private to vitrine_writer;
alter function private.may_read_poster(text) owner to vitrine_writer;
alter function private.may_write_poster(text) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function
  private.find_poster_project(text), private.may_read_poster(text), private.may_write_poster(text),
  private.find_poster(uuid), private.collect_posters(uuid), public.collect_posters(uuid)
  from public, anon, authenticated;
grant execute on function private.find_poster_project(text) to vitrine_writer;
grant execute on function private.may_read_poster(text) to anon, authenticated;
grant execute on function private.may_write_poster(text) to authenticated;
grant execute on function private.find_poster(uuid) to anon, authenticated, vitrine_writer;
grant execute on function private.collect_posters(uuid), public.collect_posters(uuid) to service_role;
