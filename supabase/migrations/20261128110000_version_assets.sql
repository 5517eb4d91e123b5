-- Assets of versions that the reader doesn't see.
--
-- Everyone who sees a version sees the rows of version_files up to it, because a file may come from a
-- version before. That a row is seen doesn't mean that the reader may have its asset: the file may have
-- been replaced or removed again before the first version that they see.

-- Whether a version that the current role sees has the file of this row.
create function private.is_in_seen_version(file public.version_files) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.project_versions v
    where v.project_id = file.project_id and v.number >= file.number
      and not exists (
        select from public.version_files later
        where later.project_id = file.project_id and later.path = file.path
          and later.number > file.number and later.number <= v.number
      )
  )
$$;

create or replace function private.is_asset_referenced(object_name text) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.project_files f
    where f.hash = right(object_name, 64) and f.uploader || '/' || f.hash = object_name
  ) or exists (
    select from public.version_files f
    where f.hash = right(object_name, 64) and f.media_type is not null
      and f.uploader || '/' || f.hash = object_name and private.is_in_seen_version(f)
  )
$$;
-- Else a fork would get what its user may not read.
create or replace function private.project_asset_uploaders(project uuid, hash text, size bigint)
returns setof uuid
language sql stable set search_path = '' as $$
  select f.uploader from public.project_files f
  where f.project_id = project and f.hash = project_asset_uploaders.hash
    and f.size = project_asset_uploaders.size
  union
  select f.uploader from public.version_files f
  where f.project_id = project and f.hash = project_asset_uploaders.hash
    and f.size = project_asset_uploaders.size and f.media_type is not null
    and private.is_in_seen_version(f)
  union
  select r.uploader from private.removed_assets r
  where r.project_id = project and r.hash = project_asset_uploaders.hash
    and r.size = project_asset_uploaders.size
$$;

revoke execute on function private.is_in_seen_version(public.version_files)
  from public, anon, authenticated;
grant execute on function private.is_in_seen_version(public.version_files) to vitrine_writer;
