-- The forks of a project.

-- { total, forks [{ slug, title, visibility, username, updated_at }] } of a project that the caller may
-- see, else null: the latest 100 forks that are public, or that the caller works on. `total` is
-- `fork_count`, so it counts the others too.
create function private.list_forks(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'total', o.fork_count,
    'forks', coalesce((
      select jsonb_agg(f.fork order by f.updated_at desc)
      from (
        select p.updated_at, jsonb_build_object(
            'slug', p.slug, 'title', p.title, 'visibility', p.visibility,
            'username', w.username, 'updated_at', p.updated_at) as fork
        from public.projects p join public.profiles w on w.id = p.owner_id
        where p.forked_from = o.id and p.trashed_at is null and (
          (p.visibility = 'public' and p.hidden_at is null)
          or p.owner_id = (select private.person())
          or p.id in (select m.project_id from public.project_members m
                      where m.user_id = (select private.person()))
        )
        order by p.updated_at desc limit 100
      ) f
    ), '[]'::jsonb)
  )
  from public.projects o where o.slug = list_forks.slug
$$;
create function public.list_forks(slug text) returns jsonb
language sql stable set search_path = '' as $$ select private.list_forks(slug) $$;

grant create on schema private to vitrine_writer;
alter function private.list_forks(text) owner to vitrine_writer;
revoke create on schema private from vitrine_writer;

revoke execute on function private.list_forks(text), public.list_forks(text)
  from public, anon, authenticated;
grant execute on function private.list_forks(text), public.list_forks(text)
  to anon, authenticated;
