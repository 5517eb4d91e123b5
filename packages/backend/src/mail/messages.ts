/**
 * A mail to send. `to` is a validated plain address, `link` has this instance's origin, and `code`
 * is for typing by hand when the link cannot be opened.
 */
export type Mail =
  | {
      kind: 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';
      to: string;
      link?: string;
      code?: string;
    }
  | { kind: 'reauthentication' | 'email_change_current'; to: string; code: string }
  | { kind: 'already-registered' | 'email-changed' | 'password-changed'; to: string }
  | CustomMail;

/** A mail written by a function: paragraphs separated by empty lines. */
export interface CustomMail {
  kind: 'custom';
  to: string;
  subject: string;
  text: string;
}

/**
 * Parses a mail from JSON: `to` (one plain address), `subject` (one line) and `text`. Undefined
 * when invalid. Other fields, such as `from`, are ignored: they are for other mail services.
 */
export function parseCustomMail(body: Uint8Array): CustomMail | undefined {
  const fields = parseObject(new TextDecoder().decode(body));
  const { to, subject, text } = fields;
  const matches = (value: unknown, pattern: RegExp) =>
    typeof value === 'string' && pattern.test(value);
  if (!matches(to, /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/)) return undefined;
  if (!matches(subject, /^[^\r\n]{1,200}$/) || !matches(text, /\S/)) return undefined;
  return { kind: 'custom', to: String(to), subject: String(subject), text: String(text) };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

interface MailContent {
  subject: string;
  text: string;
  html: string;
}

interface MailTemplate {
  subject: string;
  lines: string[];
  button?: string;
}

const ignoreNotice = 'If you didn’t request this, you can ignore this email.';

const notYouNotice = 'If you didn’t make this change, contact your administrator.';

const templates: Record<Exclude<Mail['kind'], 'custom'>, MailTemplate> = {
  signup: {
    subject: 'Confirm your email address',
    lines: ['Confirm this email address to finish signing up for Vitrine.'],
    button: 'Confirm email address',
  },
  recovery: {
    subject: 'Reset your password',
    lines: ['We received a request to reset the password for your Vitrine account.'],
    button: 'Reset password',
  },
  email_change: {
    subject: 'Confirm your new email address',
    lines: ['We received a request to use this email address for a Vitrine account.'],
    button: 'Confirm email address',
  },
  invite: {
    subject: 'You’re invited to Vitrine',
    lines: ['An administrator has created a Vitrine account for this email address.'],
    button: 'Accept invitation',
  },
  magiclink: {
    subject: 'Sign in to Vitrine',
    lines: ['We received a request to sign in to Vitrine with this email address.'],
    button: 'Sign in',
  },
  email_change_current: {
    subject: 'Confirm your email address change',
    lines: [
      'We received a request to change the email address on your Vitrine account. Confirm the change from both your current and your new address.',
    ],
  },
  reauthentication: {
    subject: 'Your verification code',
    lines: ['Enter this code to confirm changes to your Vitrine account.'],
  },
  'email-changed': {
    subject: 'Your email address was changed',
    lines: [
      'The email address on your Vitrine account was changed. You can no longer sign in with this address.',
      notYouNotice,
    ],
  },
  'password-changed': {
    subject: 'Your password was changed',
    lines: [
      'The password for your Vitrine account was changed, and all other devices were signed out.',
      notYouNotice,
    ],
  },
  'already-registered': {
    subject: 'You already have an account',
    lines: [
      'Someone tried to sign up for Vitrine with this email address, which already has an account.',
      'If that was you, sign in with your password, or choose “Forgot password?” to reset it.',
    ],
  },
};

/** Facts about this instance for all mails. */
export interface MailContext {
  publicOrigin: string;
  /** Lifetime of links and codes, in seconds. */
  lifetimeSeconds: number;
}

/** Renders a mail as plain text and as simple HTML with the same content. */
export function renderMail(
  mail: Mail,
  { publicOrigin, lifetimeSeconds }: MailContext,
): MailContent {
  if (mail.kind === 'custom') return renderCustomMail(mail);
  const { subject, lines, button } = templates[mail.kind];
  const link = 'link' in mail ? mail.link : undefined;
  const code = 'code' in mail ? mail.code : undefined;
  const isSecret = link !== undefined || code !== undefined;
  const address = isSecret ? link : publicOrigin;
  const label = isSecret ? (button ?? subject) : 'Open Vitrine';
  // Next to a link, the code is for signing in on another device or in another app.
  const codeLabel = link === undefined ? 'Your code' : 'Or enter this code';
  const closing = isSecret
    ? [describeExpiry(link, code, formatDuration(lifetimeSeconds)), ignoreNotice]
    : [];
  return {
    subject,
    text: [
      ...lines,
      ...(address === undefined ? [] : [`${label}:\n${address}`]),
      ...(code === undefined ? [] : [`${codeLabel}: ${code}`]),
      ...closing,
    ].join('\n\n'),
    html: renderHtmlPage(subject, [
      ...lines.map(renderParagraph),
      ...(address === undefined
        ? []
        : [`<p><a href="${escapeHtml(address)}">${escapeHtml(label)}</a></p>`]),
      ...(code === undefined ? [] : [`<p>${codeLabel}: <strong>${escapeHtml(code)}</strong></p>`]),
      ...closing.map(renderParagraph),
    ]),
  };
}

function renderCustomMail({ subject, text }: CustomMail): MailContent {
  return {
    subject,
    text,
    html: renderHtmlPage(subject, text.split(/\n{2,}/).map(renderParagraph)),
  };
}

function renderHtmlPage(title: string, parts: string[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    ...parts,
    '</body></html>',
  ].join('\n');
}

function describeExpiry(link: string | undefined, code: string | undefined, time: string): string {
  if (code === undefined) return `This link expires in ${time}.`;
  return link === undefined
    ? `This code expires in ${time}. Don’t share it with anyone.`
    : `The link and code expire in ${time}. Don’t share the code with anyone.`;
}

/** 3600 → 'one hour', 900 → '15 minutes' */
function formatDuration(seconds: number): string {
  if (seconds === 3600) return 'one hour';
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`;
  return seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`;
}

function renderParagraph(line: string): string {
  return `<p>${escapeHtml(line)}</p>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
