import { setting } from '../_shared/backend.ts';

/**
 * Sends a confirmation through the mail service at `MAIL_URL`, which takes JSON. Without that
 * variable nothing is sent, and a warning is logged. Throws when the mail was not accepted.
 */
export async function sendMail(to: string, dueAt: string): Promise<void> {
  const url = Deno.env.get('MAIL_URL');
  if (!url) {
    console.warn('MAIL_URL is not set: nobody was told of the deletion of their account.');
    return;
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${setting('MAIL_KEY')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ from: Deno.env.get('MAIL_FROM'), to, ...write(dueAt) }),
  });
  if (!answer.ok) throw new Error(`the mail was not taken: ${answer.status}`);
}

function write(dueAt: string): { subject: string; text: string } {
  const day = new Date(dueAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const text = [
    `Somebody, hopefully you, asked for your Vitrine account to be deleted. On ${day} it goes for good, with all its projects and pictures. Every device is signed out.`,
    `To keep it, sign in before that day and choose “Keep my account”:\n${setting('SITE_URL')}/auth/sign-in?next=%2Fsettings%2Faccount`,
    'If this was not you, do so now and choose a new password.',
  ];
  return { subject: 'Your account will be deleted', text: text.join('\n\n') };
}
