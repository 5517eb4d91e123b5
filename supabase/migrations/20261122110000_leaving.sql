-- Who has asked for their account to be deleted. Only the function delete-account adds a row, once
-- the person has proved anew who they are; until it is due they take it back themselves, also
-- while they are suspended. What is due is removed by that function as well, since the bytes of
-- pictures are reached by storage's own requests alone.
create table public.deletions (
  person uuid primary key references public.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now() + interval '14 days'
);
create index deletions_due_at on public.deletions (due_at);

alter table public.deletions enable row level security;
revoke all on public.deletions from anon, authenticated;
grant select, delete on public.deletions to authenticated;
grant all on public.deletions to service_role;
create policy "people see that they leave" on public.deletions
  for select to authenticated using (person = (select private.person()));
create policy "people stay after all" on public.deletions
  for delete to authenticated
  using (person = (select private.person()) and due_at > now());
