/*
 * Invites an email address to a project, as the user who calls it, and mails the invitation. Returns
 * what `invite_to_project` returns, with `sent`: false where there is no mail service, or where it
 * didn't accept the mail. The link then has to be sent by the user.
 */
import { Refusal, answerPost } from '../_shared/answer.ts';
import { asPerson, setting, type BackendApi } from '../_shared/backend.ts';
import { formatDay, sendMail, type Mail } from '../_shared/mail.ts';
import { toRecord } from '../_shared/person.ts';

Deno.serve((request) =>
  answerPost(request, async (token) => {
    const { project, role, email, days } = toRecord(await request.json().catch(() => undefined));
    if (typeof email !== 'string') throw new Refusal(422, 'email_invalid');
    const backend = asPerson(token);
    const invitation = await invite(backend, { project, role, email, days });
    const mail = await write(backend, email.trim(), invitation);
    return Response.json({ ...invitation, sent: await isSent(mail) });
  }),
);

/** Throws a `Refusal` with the code and status of the database's. */
async function invite(backend: BackendApi, body: object): Promise<Record<string, unknown>> {
  const answer = await backend.ask('/rest/v1/rpc/invite_to_project', { method: 'POST', body });
  const data = toRecord(await answer.json());
  if (answer.ok) return data;
  if (answer.status === 401) throw new Refusal(401, 'session_expired');
  if (answer.status >= 500) throw new Error(`couldn’t invite: ${JSON.stringify(data)}`);
  const isCode = typeof data['message'] === 'string' && /^[a-z_]+$/.test(data['message']);
  throw new Refusal(answer.status, isCode ? String(data['message']) : 'bad_request');
}

async function write(
  backend: BackendApi,
  to: string,
  { token, role, expires_at: expiresAt }: Record<string, unknown>,
): Promise<Mail> {
  const found = toRecord(
    await backend.read('/rest/v1/rpc/read_invitation', {
      method: 'POST',
      body: { invitation: token },
    }),
  );
  const { username, display_name: name } = toRecord(found['inviter']);
  const inviter = toLine(String(name || username));
  const title = toLine(String(toRecord(found['project'])['title']));
  const text = [
    `${inviter} (@${String(username)}) invited you to ${role === 'editor' ? 'edit' : 'view'} the project “${title}” on Vitrine.`,
    `Accept or decline the invitation:\n${setting('SITE_URL')}/invitations/${String(token)}`,
    `It expires on ${formatDay(String(expiresAt))} and is for the account with this email address. If you don’t have one yet, you can create it after opening the link.`,
    'If you don’t know who this is, you can ignore this email.',
  ];
  return { to, subject: `${inviter} invited you to “${title}”`, text: text.join('\n\n') };
}

/** The invitation stands without its mail: the user can send the link. */
async function isSent(mail: Mail): Promise<boolean> {
  try {
    return await sendMail(mail);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

/** A user's text in one line of a mail: "a\r\nBcc: b" → "a Bcc: b", at most 80 characters. */
function toLine(text: string): string {
  return [...text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()].slice(0, 80).join('');
}
