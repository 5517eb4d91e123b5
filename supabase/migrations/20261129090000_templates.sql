-- Templates of the instance: public projects that the operator offers to everyone on /new. A user's
-- own templates are their projects with `is_template`. Only the service role and the operator's command
-- `vitrine templates` write them.

create table public.instance_templates (
  project_id uuid primary key references public.projects (id) on delete cascade,
  created_at timestamptz not null default now()
);
alter table public.instance_templates enable row level security;
revoke all on public.instance_templates from anon, authenticated;
grant select on public.instance_templates to anon, authenticated;
grant all on public.instance_templates to service_role;

-- A project that is no longer public is no template of the instance meanwhile, for nobody: neither
-- for its owner nor for an administrator, who would see it anyway.
create policy "everyone sees which public projects are templates" on public.instance_templates
  for select to anon, authenticated
  using (
    exists (
      select from public.projects p
      where p.id = project_id
        and p.visibility = 'public' and p.trashed_at is null and p.hidden_at is null
    )
  );

create index projects_templates on public.projects (owner_id) where is_template;
