import { setting } from '../_shared/backend.ts';

/**
 * Sends a confirmation through the mail service at `MAIL_URL`, which takes JSON. Without that
 * variable nothing is sent, and a warning is logged. Throws when the mail was not accepted.
 */
export async function sendMail(to: string, dueAt: string): Promise<void> {
  const url = Deno.env.get('MAIL_URL');
  if (!url) {
    console.warn('MAIL_URL is not set: no email was sent about an account deletion.');
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
  if (!answer.ok) throw new Error(`the mail was not accepted: ${answer.status}`);
}

function write(dueAt: string): { subject: string; text: string } {
  const day = new Date(dueAt).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  const text = [
    `We received a request to delete your Vitrine account. On ${day}, your account and all of its projects and pictures will be permanently deleted. You’ve been signed out on all devices.`,
    `To keep your account, sign in before then and choose “Keep my account”:\n${setting('SITE_URL')}/auth/sign-in?next=%2Fsettings%2Faccount`,
    'If you didn’t request this, sign in now, choose “Keep my account,” and change your password.',
  ];
  return { subject: 'Your account will be deleted', text: text.join('\n\n') };
}
