/**
 * A mail to send. `to` is a validated plain address, `link` has this instance's origin, and `code`
 * is for typing by hand when the link cannot be opened.
 */
export type Letter =
  | {
      kind: 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change';
      to: string;
      link?: string;
      code?: string;
    }
  | { kind: 'reauthentication' | 'email_change_current'; to: string; code: string }
  | { kind: 'already-registered' | 'email-changed' | 'password-changed'; to: string }
  | WrittenLetter;

/** A mail written by a function: paragraphs separated by empty lines. */
export interface WrittenLetter {
  kind: 'written';
  to: string;
  subject: string;
  text: string;
}

export interface Message {
  subject: string;
  text: string;
  html: string;
}

interface Wording {
  subject: string;
  lines: string[];
  button?: string;
}

const ignore = 'If this was not you, ignore this mail: nothing happens without it.';

const notYou = 'If this was not you, write to whoever runs this place.';

const wordings: Record<Exclude<Letter['kind'], 'written'>, Wording> = {
  signup: {
    subject: 'Confirm your e-mail address',
    lines: ['Somebody, hopefully you, signed up to Vitrine with this address.'],
    button: 'Confirm this address',
  },
  recovery: {
    subject: 'Choose a new password',
    lines: ['Somebody, hopefully you, asked to choose a new password for your Vitrine account.'],
    button: 'Choose a new password',
  },
  email_change: {
    subject: 'Confirm your new e-mail address',
    lines: ['Somebody, hopefully you, wants to use this address for a Vitrine account.'],
    button: 'Use this address',
  },
  invite: {
    subject: 'You are invited to Vitrine',
    lines: ['Whoever runs Vitrine has made an account for this address.'],
    button: 'Accept the invitation',
  },
  magiclink: {
    subject: 'Sign in',
    lines: ['Somebody, hopefully you, wants to sign in to Vitrine with this address.'],
    button: 'Sign in',
  },
  email_change_current: {
    subject: 'Confirm the change of your e-mail address',
    lines: [
      'Somebody, hopefully you, wants another address for your Vitrine account. Both mailboxes have to agree.',
    ],
  },
  reauthentication: {
    subject: 'Your code',
    lines: ['This code shows that it is you who changes your Vitrine account.'],
  },
  'email-changed': {
    subject: 'Your e-mail address was changed',
    lines: [
      'Your Vitrine account has another e-mail address now. This one does not sign in any more.',
      notYou,
    ],
  },
  'password-changed': {
    subject: 'Your password was changed',
    lines: [
      'The password of your Vitrine account was changed, and every other device was signed out.',
      notYou,
    ],
  },
  'already-registered': {
    subject: 'You already have an account',
    lines: [
      'Somebody, hopefully you, tried to sign up to Vitrine with this address, which has an account already.',
      'Sign in with your password, or choose “Forgot password” there.',
    ],
  },
};

/** Facts about this instance for all mails. */
export interface Place {
  publicOrigin: string;
  /** Lifetime of links and codes, in seconds. */
  lifetimeS: number;
}

/** Renders a mail as plain text and as simple HTML with the same content. */
export function writeMessage(letter: Letter, { publicOrigin, lifetimeS }: Place): Message {
  if (letter.kind === 'written') return wrapWritten(letter);
  const { subject, lines, button } = wordings[letter.kind];
  const link = 'link' in letter ? letter.link : undefined;
  const code = 'code' in letter ? letter.code : undefined;
  const isSecret = link !== undefined || code !== undefined;
  const address = isSecret ? link : publicOrigin;
  const label = isSecret ? (button ?? subject) : 'Open Vitrine';
  // Next to a link, the code is for signing in on another device or in another app.
  const codeLabel = link === undefined ? 'Code' : 'If you are asked for a code';
  const closing = isSecret ? [describeUse(link, code, describeTime(lifetimeS)), ignore] : [];
  return {
    subject,
    text: [
      ...lines,
      ...(address === undefined ? [] : [`${label}:\n${address}`]),
      ...(code === undefined ? [] : [`${codeLabel}: ${code}`]),
      ...closing,
    ].join('\n\n'),
    html: writePage(subject, [
      ...lines.map(paragraph),
      ...(address === undefined
        ? []
        : [`<p><a href="${escapeHtml(address)}">${escapeHtml(label)}</a></p>`]),
      ...(code === undefined ? [] : [`<p>${codeLabel}: <strong>${escapeHtml(code)}</strong></p>`]),
      ...closing.map(paragraph),
    ]),
  };
}

function wrapWritten({ subject, text }: WrittenLetter): Message {
  return { subject, text, html: writePage(subject, text.split(/\n{2,}/).map(paragraph)) };
}

function writePage(title: string, parts: string[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    ...parts,
    '</body></html>',
  ].join('\n');
}

function describeUse(link: string | undefined, code: string | undefined, time: string): string {
  if (code === undefined) return `The link works for ${time}.`;
  return link === undefined
    ? `The code works for ${time}. Type it where you asked for it, and tell it to nobody.`
    : `Link and code work for ${time}. Tell the code to nobody.`;
}

/** 3600 → 'one hour', 900 → '15 minutes' */
function describeTime(seconds: number): string {
  if (seconds === 3600) return 'one hour';
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`;
  return seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`;
}

function paragraph(line: string): string {
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
