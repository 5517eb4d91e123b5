-- Pictures of people. Everyone sees them by their public address; each person keeps theirs in the
-- folder named by their id. A new picture has a new name, so an address may be cached for good.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('avatars', 'avatars', true, 1048576, array['image/webp', 'image/png'])
on conflict (id) do nothing;

-- To the client a removal and a replacement begin with finding the row.
create policy "people see their own pictures" on storage.objects for select to authenticated
using (
  bucket_id = 'avatars'
  and (storage.foldername(name))[1] = (select private.person())::text
);

create policy "people add pictures of their own" on storage.objects for insert to authenticated
with check (
  bucket_id = 'avatars'
  and (storage.foldername(name))[1] = (select private.person())::text
  and (select private.active_role()) is not null
);

create policy "people remove their own pictures" on storage.objects for delete to authenticated
using (
  bucket_id = 'avatars'
  and (storage.foldername(name))[1] = (select private.person())::text
  and (select private.active_role()) is not null
);

-- A profile shows its person's own picture, and nothing else can stand in an address.
update public.profiles set avatar_path = null where avatar_path is not null;
alter table public.profiles drop constraint bad_request;
alter table public.profiles add constraint bad_request check (
  char_length(display_name) <= 80
  and char_length(bio) <= 1000
  and avatar_path ~ ('^' || id || '/[0-9a-z-]{1,64}[.](webp|png)$')
  and (website = '' or (char_length(website) <= 255 and website ~ '^https?://[^[:space:]]+$'))
);
