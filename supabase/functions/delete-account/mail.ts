import { setting } from '../_shared/backend.ts';
import { formatDay, sendMail } from '../_shared/mail.ts';

/**
 * Confirms a request to delete the account. Logs a warning when there is no mail service. Throws when
 * the mail was not accepted.
 */
export async function confirmDeletion(to: string, dueAt: string): Promise<void> {
  const text = [
    `We received a request to delete your Vitrine account. On ${formatDay(dueAt)}, your account and all of its projects and pictures will be permanently deleted. You’ve been signed out on all devices.`,
    `To keep your account, sign in before then and choose “Keep my account”:\n${setting('SITE_URL')}/auth/sign-in?next=%2Fsettings%2Faccount`,
    'If you didn’t request this, sign in now, choose “Keep my account,” and change your password.',
  ];
  const isSent = await sendMail({
    to,
    subject: 'Your account will be deleted',
    text: text.join('\n\n'),
  });
  if (!isSent) console.warn('MAIL_URL is not set: no email was sent about an account deletion.');
}
