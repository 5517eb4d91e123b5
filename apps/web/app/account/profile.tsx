import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { requestContext } from '../request-context.ts';
import { useClient } from '../session/use-client.ts';
import { useViewer } from '../session/viewer.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { routeError } from '../ui/route-error.ts';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Route } from './+types/profile';
import { readText } from './account-form.tsx';
import { requireMember } from './require.server.ts';
import styles from './settings.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Profile — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  const { sub } = requireMember(about, url);
  const { data, error } = await about.supabase
    .from('profiles')
    .select('display_name, bio, website')
    .eq('id', sub)
    .maybeSingle();
  if (error) throw routeError('backend_unreachable');
  const row: Record<string, unknown> = data ?? {};
  return { name: text(row.display_name), bio: text(row.bio), website: text(row.website) };
}

export default function Profile({ loaderData }: Route.ComponentProps) {
  const viewer = useViewer();
  const client = useClient();
  const { revalidate } = useRevalidator();
  const [state, setState] = useState<{
    busy: boolean;
    refused?: ErrorCode | undefined;
    site?: string;
  }>({
    busy: false,
  });
  if (!viewer) return null;

  const save = async (form: FormData) => {
    const website = readText(form, 'website').trim();
    if (website && !isWebAddress(website)) {
      return setState({ busy: false, site: 'A website begins with https:// or http://.' });
    }
    setState({ busy: true });
    const name = readText(form, 'name').trim();
    const supabase = await client();
    const { data, error } = await supabase
      .from('profiles')
      .update({
        display_name: name,
        bio: readText(form, 'bio').trim(),
        website,
      })
      .eq('id', viewer.id)
      .select('id');
    // Row level security refuses an update by matching nothing.
    const refused = error ? findErrorCode(error) : data.length === 0 ? 'suspended' : undefined;
    setState({ busy: false, refused });
    if (refused) return;
    await revalidate();
    showToast({ title: 'Profile saved' });
    // The profile is the truth; this makes the client tell the other tabs.
    await supabase.auth.updateUser({ data: { display_name: name } });
  };

  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label="Username"
        value={viewer.username ?? ''}
        readOnly
        description="Part of your address, so it stays as it is."
      />
      <TextField
        label="Display name"
        name="name"
        maxLength={80}
        defaultValue={loaderData.name}
        autoComplete="name"
      />
      <TextArea label="Bio" name="bio" maxLength={1000} defaultValue={loaderData.bio} />
      <TextField
        label="Website"
        name="website"
        type="url"
        maxLength={255}
        defaultValue={loaderData.website}
        autoComplete="url"
        placeholder="https://"
        error={state.site}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={state.busy}>
          Save profile
        </Button>
      </div>
      {state.refused && <ErrorNotice code={state.refused} />}
    </form>
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\/\S+$/u.test(value) && URL.canParse(value);
}
