-- A user's public projects, latest changes first, as a profile shows them: [{ slug, title, description,
-- tags, updated_at, excerpt }]. At most 200; the code of those after the first 24, which `excerpt` shows
-- without a poster, isn't read.
create function public.list_public_projects(owner uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'slug', p.slug, 'title', p.title, 'description', left(p.description, 300),
      'tags', (
        select coalesce(jsonb_agg(t.tag order by t.tag), '[]'::jsonb)
        from public.project_tags t where t.project_id = p.id),
      'updated_at', p.updated_at,
      'excerpt', case when p.place <= 24 then private.find_excerpt(p.id)
        else jsonb_build_object('poster', private.find_poster(p.id)) end
    ) order by p.place), '[]'::jsonb)
  from (
    select k.id, k.slug, k.title, k.description, k.updated_at,
      row_number() over (order by k.updated_at desc, k.id) as place
    from public.projects k
    where k.owner_id = list_public_projects.owner
      -- Row-level security lets owners see their private, hidden and trashed projects, too.
      and k.visibility = 'public' and k.trashed_at is null and k.hidden_at is null
    order by k.updated_at desc, k.id limit 200
  ) p
$$;

revoke execute on function public.list_public_projects(uuid) from public, anon, authenticated;
grant execute on function public.list_public_projects(uuid) to anon, authenticated;
