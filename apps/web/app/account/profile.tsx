import { findErrorCode, limits, type ErrorCode } from '@vitrine/project';
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
import { PictureField } from './picture-field.tsx';
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
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ErrorCode>();
  const [problems, setProblems] = useState<Problems>({});
  if (!viewer) return null;

  const save = async (form: FormData) => {
    const written = {
      name: readText(form, 'name').trim(),
      bio: readText(form, 'bio').trim(),
      website: readText(form, 'website').trim(),
    };
    const found = findProblems(written);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    const { name, bio, website } = written;
    const supabase = await client();
    const { data, error } = await supabase
      .from('profiles')
      .update({ display_name: name, bio, website })
      .eq('id', viewer.id)
      .select('id');
    // Row level security refuses an update by matching nothing.
    const code = error ? findErrorCode(error) : data.length === 0 ? 'suspended' : undefined;
    setBusy(false);
    setRefused(code);
    if (code) return;
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
      <PictureField viewer={viewer} />
      <TextField
        label="Username"
        value={viewer.username ?? ''}
        readOnly
        description="Your profile URL. This can’t be changed."
      />
      <TextField
        label="Display name"
        name="name"
        defaultValue={loaderData.name}
        autoComplete="name"
        error={problems.name}
        description="Shown to other people. Defaults to your username."
      />
      <TextArea
        label="Bio"
        name="bio"
        defaultValue={loaderData.bio}
        error={problems.bio}
        description="A few words about you."
      />
      <TextField
        label="Website"
        name="website"
        type="url"
        defaultValue={loaderData.website}
        autoComplete="url"
        placeholder="https://"
        error={problems.website}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={busy}>
          Save profile
        </Button>
      </div>
      {refused && <ErrorNotice code={refused} />}
    </form>
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

type Problems = Partial<Record<'name' | 'bio' | 'website', string>>;

/** What the database would refuse, said beside the field that it is about. */
function findProblems(written: Record<keyof Problems, string>): Problems {
  const { displayNameMax, bioMax, websiteMax } = limits;
  const isOff = written.website !== '' && !isWebAddress(written.website);
  const found = {
    name: findExcess(written.name, displayNameMax),
    bio: findExcess(written.bio, bioMax),
    website: isOff
      ? 'Website must start with https:// or http://.'
      : findExcess(written.website, websiteMax),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined));
}

/** Characters as the database counts them: code points. */
function findExcess(written: string, max: number): string | undefined {
  const length = Array.from(written).length;
  const format = new Intl.NumberFormat('en');
  return length > max
    ? `Must be ${format.format(max)} characters or fewer. This is ${format.format(length)}.`
    : undefined;
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\/\S+$/u.test(value) && URL.canParse(value);
}
