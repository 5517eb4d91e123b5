import {
  errorCatalog,
  findErrorCode,
  limits,
  validateUsername,
  type ErrorCode,
} from '@vitrine/project';
import { useEffect, useState, type FormEvent } from 'react';
import { usePageSettings } from '../session/page-settings.ts';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy-field.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { InvitationTerms, PeopleApi } from './people-api.ts';
import { getPersonName, type MemberRole, type Person } from './people.ts';
import styles from './invite-form.module.css';

export const roleOptions: readonly { value: MemberRole; label: string; note: string }[] = [
  { value: 'viewer', label: 'Viewer', note: 'Can open the project and follow changes.' },
  { value: 'editor', label: 'Editor', note: 'Can also edit it.' },
];

export const expiryOptions = ['1', '7', '30'].map((days) => ({
  value: days,
  label: days === '1' ? 'In 1 day' : `In ${days} days`,
}));

interface InviteFormProps {
  api: PeopleApi;
  /** The project's id. */
  project: string;
  /** Called after an invitation was made. */
  onInvited: () => Promise<void>;
}

/** What the form's last invitation led to. */
interface Outcome {
  readonly text: string;
  /** URL to copy, which isn't shown again. */
  readonly link?: { readonly label: string; readonly url: string };
}

/** Form to invite a user or an email address. */
export function InviteForm({ api, project, onInvited }: InviteFormProps) {
  const [invitee, setInvitee] = useState('');
  const [role, setRole] = useState<MemberRole>('editor');
  const [days, setDays] = useState(String(limits.invitationDays));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorCode>();
  const [outcome, setOutcome] = useState<Outcome>();
  const match = useUserMatch(api, invitee);
  const inviteByEmail = useEmailInvitation(api, project);
  const mailNote = useMailNote(invitee);
  const terms = { role, days: Number(days) };

  async function run(action: () => Promise<Outcome>): Promise<void> {
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    try {
      setOutcome(await action());
      await onInvited();
    } catch (failure) {
      setError(findErrorCode(failure));
    }
    setBusy(false);
  }

  async function invite(name: string): Promise<Outcome> {
    const username = parseUsername(name);
    const result =
      username === undefined
        ? await inviteByEmail(name, terms)
        : await api.inviteUser(project, username, terms).then(() => ({
            text: `Invited @${username}. They’ll find the invitation in Your work.`,
          }));
    setInvitee('');
    return result;
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const name = invitee.trim();
    if (name === '') setError('invitee_required');
    else void run(() => invite(name));
  }

  return (
    <form noValidate onSubmit={submit}>
      <div className={styles.terms}>
        <div className={styles.invitee}>
          <TextField
            label="Username or email"
            value={invitee}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => {
              setInvitee(event.target.value);
              setError(undefined);
            }}
            error={error && errorCatalog[error].message}
            description={mailNote ?? describeMatch(match)}
          />
        </div>
        <Select label="Role" value={role} options={roleOptions} onChange={setRole} />
        <Select label="Expires" value={days} options={expiryOptions} onChange={setDays} />
        <Button type="submit" className={styles.submit} busy={isBusy}>
          Invite
        </Button>
      </div>
      <output className={styles.outcome}>{outcome?.text}</output>
      {outcome?.link !== undefined && (
        <div className={styles.link}>
          <CopyField
            key={outcome.link.url}
            label={outcome.link.label}
            value={outcome.link.url}
            copyLabel="Copy"
          />
        </div>
      )}
    </form>
  );
}

/** Invites an address, and says whether the invitation was emailed. */
function useEmailInvitation(api: PeopleApi, project: string) {
  const { mailDelivery, invitationLinkVerifies } = usePageSettings();
  return async (email: string, terms: InvitationTerms): Promise<Outcome> => {
    const { path, isSent } = await api.inviteByEmail(project, email, terms);
    if (isSent && mailDelivery === 'sent') return { text: `Emailed the invitation to ${email}.` };
    const reason =
      mailDelivery === 'sent'
        ? 'The email couldn’t be sent.'
        : 'This instance isn’t set up to send email.';
    return {
      text: `${reason} Send this link to ${email} yourself. It only works for their account${invitationLinkVerifies ? '' : ', once its address is verified'}.`,
      link: {
        label: `Invitation link for ${email}`,
        url: new URL(path, location.origin).href,
      },
    };
  };
}

/** What an invitation by email takes where there is no email. Undefined elsewhere. */
function useMailNote(invitee: string): string | undefined {
  const { mailDelivery, invitationLinkVerifies } = usePageSettings();
  if (mailDelivery === 'sent' || parseUsername(invitee) !== undefined) return undefined;
  return invitationLinkVerifies
    ? 'This instance can’t send email. You’ll get a link to send them. It works for an account with this address.'
    : 'This instance can’t send email. You’ll get a link to send them. They’ll also need a code from your administrator to verify this address. To skip that, create a link instead.';
}

/** "@ada" → "ada"; undefined for an email address. */
function parseUsername(typed: string): string | undefined {
  const name = typed.trim().replace(/^@/, '').toLowerCase();
  return name.includes('@') ? undefined : name;
}

/**
 * The user with exactly the typed username: null if there is none, undefined while that isn't known.
 */
function useUserMatch(api: PeopleApi, typed: string): Person | null | undefined {
  const username = parseUsername(typed);
  const name = username === undefined || validateUsername(username) ? undefined : username;
  const [match, setMatch] = useState<{ name: string; user: Person | null }>();
  useEffect(() => {
    if (name === undefined) return;
    let isCanceled = false;
    const find = async () => {
      const user = await api.findUser(name);
      if (!isCanceled) setMatch({ name, user });
    };
    // Without a match the invitation itself says what is wrong.
    const timer = setTimeout(() => void find().catch(() => undefined), 250);
    return () => {
      isCanceled = true;
      clearTimeout(timer);
    };
  }, [api, name]);
  return match?.name === name ? match?.user : undefined;
}

function describeMatch(match: Person | null | undefined): string {
  if (match === undefined) return 'They join once they accept.';
  if (match === null) return errorCatalog.user_not_found.message;
  return `${getPersonName(match)} (@${match.username})`;
}
