-- The timeline reads a page of versions by its index. A join with the project read all of them, checked
-- the policies for each, and sorted them.

create or replace function private.list_versions(slug text, before int, count int) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'number', v.number, 'reason', v.reason, 'message', v.message, 'created_at', v.created_at,
      'published_at', v.published_at, 'author', private.describe_author(v.author_id),
      'changed', coalesce(c.changed, '[]'), 'changed_count', c.total
    ) order by v.number desc), '[]')
  from (
    select w.*, lead(w.number, 1, 0) over (order by w.number desc) as previous
    from (
      select v.project_id, v.number, v.reason, v.message, v.created_at, v.published_at, v.author_id
      from public.project_versions v
      where v.project_id = (select p.id from public.projects p where p.slug = list_versions.slug)
        and (before is null or v.number < before)
      order by v.number desc
      limit least(greatest(list_versions.count, 1), 100) + 1
    ) w
    order by w.number desc
    limit least(greatest(list_versions.count, 1), 100)
  ) v
  cross join lateral (
    select count(*) as total, jsonb_agg(jsonb_build_object('path', d.path, 'kind', d.kind)
        order by d.path) filter (where d.place <= 20) as changed
    from (
      select now.path, row_number() over (order by now.path) as place,
        case when now.hash is null then 'removed' when was.hash is null then 'added'
          else 'changed' end as kind
      from (
        select distinct on (f.path) f.path, f.hash, f.media_type
        from public.version_files f
        where f.project_id = v.project_id and f.number > v.previous and f.number <= v.number
        order by f.path, f.number desc
      ) now
      left join lateral (
        select f.hash, f.media_type from public.version_files f
        where f.project_id = v.project_id and f.path = now.path and f.number <= v.previous
        order by f.number desc limit 1
      ) was on true
      where (now.hash, now.media_type) is distinct from (was.hash, was.media_type)
    ) d
  ) c
$$;
