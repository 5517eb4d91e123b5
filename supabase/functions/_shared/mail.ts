import { setting } from './backend.ts';

export interface Mail {
  readonly to: string;
  /** One line of at most 200 characters. */
  readonly subject: string;
  /** Paragraphs separated by empty lines. */
  readonly text: string;
}

/**
 * Sends a mail through the mail service at `MAIL_URL`, which takes JSON. Returns false, and sends
 * nothing, without that variable. Throws when the mail was not accepted.
 */
export async function sendMail(mail: Mail): Promise<boolean> {
  const url = Deno.env.get('MAIL_URL');
  if (!url) return false;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${setting('MAIL_KEY')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ from: Deno.env.get('MAIL_FROM'), ...mail }),
  });
  if (!answer.ok) throw new Error(`the mail was not accepted: ${answer.status}`);
  return true;
}

/** A UTC day as mails name it: "November 26, 2026". */
export function formatDay(time: string): string {
  return new Date(time).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
}
