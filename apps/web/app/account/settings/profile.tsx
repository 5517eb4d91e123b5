import { findErrorCode, limits, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { useClient } from '../../session/use-client.ts';
import { useViewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { routeError } from '../../ui/page/route-error.ts';
import { TextArea, TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Route } from './+types/profile';
import { readText } from '../account-form.tsx';
import { PictureField } from './picture-field.tsx';
import { requireSignedIn } from '../auth/auth-guards.server.ts';
import styles from './settings.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Profile — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { sub } = requireSignedIn(request, url);
  const { data, error } = await request.supabase
    .from('profiles')
    .select('display_name, bio, website')
    .eq('id', sub)
    .maybeSingle();
  if (error) throw routeError('backend_unreachable');
  const row: Record<string, unknown> = data ?? {};
  return {
    name: toText(row.display_name),
    bio: toText(row.bio),
    website: toText(row.website),
  };
}

export default function Profile({ loaderData }: Route.ComponentProps) {
  const viewer = useViewer();
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorCode>();
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  if (!viewer) return null;

  const save = async (form: FormData) => {
    const values = {
      name: readText(form, 'name').trim(),
      bio: readText(form, 'bio').trim(),
      website: readText(form, 'website').trim(),
    };
    const invalid = validate(values);
    setFieldErrors(invalid);
    if (Object.keys(invalid).length > 0) return;
    setBusy(true);
    const { name, bio, website } = values;
    const supabase = await getClient();
    const { data, error: updateError } = await supabase
      .from('profiles')
      .update({ display_name: name, bio, website })
      .eq('id', viewer.id)
      .select('id');
    // Row-level security makes a forbidden update match no rows.
    const isRefused = !updateError && data.length === 0;
    const code = updateError ? findErrorCode(updateError) : isRefused ? 'suspended' : undefined;
    setBusy(false);
    setError(code);
    if (code) return;
    await revalidate();
    showToast({ title: 'Profile saved' });
    // The name in the auth user is a copy. Updating it notifies the other tabs.
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
      <PictureField viewer={viewer} />
      <TextField
        label="Username"
        value={viewer.username ?? ''}
        readOnly
        description={`Your profile URL: /@${viewer.username ?? ''}. This can’t be changed.`}
      />
      <TextField
        label="Display name"
        name="name"
        defaultValue={loaderData.name}
        autoComplete="name"
        error={fieldErrors.name}
        description="Shown to other people. Defaults to your username."
      />
      <TextArea
        label="Bio"
        name="bio"
        defaultValue={loaderData.bio}
        error={fieldErrors.bio}
        description="A few words about you."
      />
      <TextField
        label="Website"
        name="website"
        type="url"
        defaultValue={loaderData.website}
        autoComplete="url"
        placeholder="https://"
        error={fieldErrors.website}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={busy}>
          Save profile
        </Button>
      </div>
      {error && <ErrorNotice code={error} />}
    </form>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

type FieldErrors = Partial<Record<'name' | 'bio' | 'website', string>>;

/** Checks what the database would reject, and returns error messages by field. */
function validate(values: Record<keyof FieldErrors, string>): FieldErrors {
  const { displayNameMax, bioMax, websiteMax } = limits;
  const isInvalidUrl = values.website !== '' && !isWebUrl(values.website);
  const errors = {
    name: checkLength(values.name, displayNameMax),
    bio: checkLength(values.bio, bioMax),
    website: isInvalidUrl
      ? 'Website must start with https:// or http://.'
      : checkLength(values.website, websiteMax),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error !== undefined));
}

/** Counts code points, as the database does. */
function checkLength(text: string, max: number): string | undefined {
  const length = Array.from(text).length;
  const format = new Intl.NumberFormat('en');
  return length > max
    ? `Must be ${format.format(max)} characters or fewer. This is ${format.format(length)}.`
    : undefined;
}

function isWebUrl(value: string): boolean {
  return /^https?:\/\/\S+$/u.test(value) && URL.canParse(value);
}
