/*
 * Invites an email address to a project, as the user who calls it, and mails the invitation. Returns
 * what `invite_to_project` returns, with `sent` for `may_mail`: false where there is no mail service,
 * where it didn't accept the mail, or once the address got many. The link then has to be sent by the
 * user.
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
    const { may_mail: mayMail, ...invitation } = await invite(backend, {
      project,
      role,
      email,
      days,
    });
    const sent = mayMail === true && (await isSent(await write(backend, email.trim(), invitation)));
    return Response.json({ ...invitation, sent });
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
  const inviter = (typeof name === 'string' && toLine(name)) || String(username);
  const title = toLine(String(toRecord(found['project'])['title']));
  const what = title && `“${title}”`;
  const text = [
    `${inviter} (@${String(username)}) invited you to ${role === 'editor' ? 'edit' : 'view'} ${what ? `the project ${what}` : 'a project'} on Vitrine.`,
    `Accept or decline the invitation:\n${setting('SITE_URL')}/invitations/${String(token)}`,
    `It expires on ${formatDay(String(expiresAt))} and is for the account with this email address. If you don’t have one yet, you can create it after opening the link.`,
    'If you don’t know who this is, you can ignore this email.',
  ];
  return {
    to,
    subject: `${inviter} invited you to ${what || 'a project'}`,
    text: text.join('\n\n'),
  };
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

/**
 * A user's text in one line of a mail: "a\r\nBcc: b" → "a Bcc: b", at most 80 characters. Empty for a
 * text that a mail program could make a link of, so that nobody sends links to strangers.
 */
function toLine(text: string): string {
  const line = text
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return linkable.test(line) ? '' : [...line].slice(0, 80).join('');
}

/**
 * What mail programs link: schemes, addresses, phone numbers and host names ("example.org", "a。рф").
 * Names of files and libraries stay ("Three.js"): these endings are no top-level domains.
 */
const linkable =
  /:\/\/|\b(?:mailto|tel|sms):|@[^\s@]*[.。]|(?:\+|\b\d)[\d\s().-]{6,}\d|[^\s.。][.。](?!(?:js|jsx|ts|tsx|mjs|css|html|json|vue|svelte)(?![\p{L}\p{N}.。/]))(?:xn--|\p{L}{2})/iu;
