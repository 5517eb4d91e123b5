-- The embedded backend remembers in app_metadata whose mailbox has answered (verified_email): where
-- addresses are not confirmed, email_confirmed_at says nothing. An older account counts as unverified
-- unless it was confirmed by a mail and its address has not changed since, or a provider made it.
update auth.users u
set raw_app_meta_data =
  coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object('verified_email', u.email)
where u.email is not null and u.deleted_at is null and u.email_confirmed_at is not null
  and (
    (
      u.email_confirmed_at >= u.confirmation_sent_at
      and not exists (
        select from auth.identities i
        where i.user_id = u.id and i.provider = 'email' and i.updated_at > u.email_confirmed_at
      )
    )
    or (
      u.encrypted_password is null
      and not exists (
        select from auth.identities i where i.user_id = u.id and i.provider = 'email'
      )
      and exists (
        select from auth.identities i
        where i.user_id = u.id and i.email = u.email
          and i.identity_data ->> 'email_verified' = 'true'
      )
    )
  );
