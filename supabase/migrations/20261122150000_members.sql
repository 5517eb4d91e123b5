-- Who works on a project beside its owner, and the project's channel: `project:ID` tells them who
-- is there, and of each other's saves by the rows of document_updates.
--
-- Rows of project_members are written by the service role alone until invitations are accepted.

create table public.project_members (
  project_id uuid not null references public.projects (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, user_id)
);
create index project_members_user on public.project_members (user_id);

alter table public.project_members enable row level security;
revoke all on public.project_members from anon, authenticated;
grant select on public.project_members to authenticated, vitrine_writer;
grant all on public.project_members to service_role;
-- Their own rows only: policies of projects ask here, and must not be asked back.
create policy "people see what they are members of" on public.project_members
  for select to authenticated, vitrine_writer using (user_id = (select private.person()));
create trigger touch before update on public.project_members
  for each row execute function private.touch();

create policy "members see their projects" on public.projects
  for select to authenticated, vitrine_writer
  using (
    trashed_at is null and hidden_at is null
    and id in (select m.project_id from public.project_members m
               where m.user_id = (select private.person()))
  );

create or replace function private.works_on(project uuid) returns boolean
language sql stable set search_path = '' as $$
  select exists (
    select from public.projects p
    where p.id = project and (
      p.owner_id = private.person()
      or exists (select from public.project_members m
                 where m.project_id = p.id and m.user_id = private.person())
    )
  )
$$;

create or replace function private.may_edit(project uuid) returns boolean
language sql stable set search_path = '' as $$
  select private.active_role() is not null and exists (
    select from public.projects p
    where p.id = project and (
      p.owner_id = private.person()
      or exists (select from public.project_members m
                 where m.project_id = p.id and m.user_id = private.person() and m.role = 'editor')
    )
  )
$$;

create policy "editors save" on public.projects
  for update to vitrine_writer
  using (private.may_edit(id)) with check (private.may_edit(id));

-- As before, and `works_on`: who may not save may still follow those who do.
create or replace function private.find_project(slug text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug, 'revision', p.revision, 'title', p.title,
    'description', p.description, 'visibility', p.visibility, 'is_template', p.is_template,
    'settings', p.settings, 'like_count', p.like_count, 'fork_count', p.fork_count,
    'comment_count', p.comment_count, 'view_count', p.view_count,
    'hidden_at', p.hidden_at, 'trashed_at', p.trashed_at,
    'created_at', p.created_at, 'updated_at', p.updated_at,
    'may_edit', private.may_edit(p.id), 'works_on', private.works_on(p.id),
    'owner', jsonb_build_object(
      'id', o.id, 'username', o.username, 'display_name', o.display_name,
      'avatar_path', o.avatar_path),
    'forked_from', (
      select jsonb_build_object('id', f.id, 'slug', f.slug, 'title', f.title, 'username', fo.username)
      from public.projects f join public.profiles fo on fo.id = f.owner_id
      where f.id = p.forked_from
        -- An unlisted original stays known only to those who have its link.
        and (f.visibility = 'public' or f.owner_id = private.person())
    )
  )
  from public.projects p join public.profiles o on o.id = p.owner_id
  where p.slug = find_project.slug
$$;

-- The project whose channel is asked about; null for any other channel.
create function private.channel_project() returns uuid
language sql stable set search_path = '' as $$
  select substring(realtime.topic()
    from '^project:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$')::uuid
$$;
revoke execute on function private.channel_project() from public, anon, authenticated;
grant execute on function private.channel_project() to authenticated;

-- The right to join is, on a hosted project, the right to read messages. Nobody sends any.
create policy "who works on a project joins its channel" on realtime.messages
  for select to authenticated
  using (extension in ('broadcast', 'presence')
    and (select private.works_on(private.channel_project())));
create policy "who works on a project is seen in its channel" on realtime.messages
  for insert to authenticated
  with check (extension = 'presence' and (select private.works_on(private.channel_project())));

alter publication supabase_realtime add table public.document_updates;
